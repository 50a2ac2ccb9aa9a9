module example.com/cases

go 1.26.0

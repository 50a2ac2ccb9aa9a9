module example.com/below

go 1.26.0

// Package spelling tells how far a word is from what somebody may have meant by it.
package spelling

// Slips counts the letters to insert, drop, replace or swap with the next that make b of a.
func Slips(a, b string) int {
	var before, above []int // the rows for two letters of a less, and for one
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(above[j], row[j-1]) + 1
			if a[i-1] == b[j-1] {
				row[j] = min(row[j], above[j-1])
			} else {
				row[j] = min(row[j], above[j-1]+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

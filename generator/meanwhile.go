package generator

import (
	"errors"
	"os"
	"path/filepath"
)

// This file is about two runs on one tree, as of an editor and a person. What one of them writes is new to the other, which has looked for old
// outputs before: it would take it for source, or for a file in the way.

// errMeanwhile is the error of a run that another one has overtaken.
var errMeanwhile = errors.New("other runs of idemgen keep writing into these packages; run it again when they have ended")

// runsInARow is how often a run that was overtaken starts anew. Then the outputs are mostly there, and as they should be.
const runsInARow = 5

// outrun tells whether there are outputs that the scan has not seen.
func (f *found) outrun() bool {
	folders := f.folders
	if f.out != "" {
		folders = append(folders[:len(folders):len(folders)], f.out)
	}
	for _, folder := range folders {
		names, _ := goFiles(folder)
		for _, name := range names {
			path := filepath.Join(folder, name)
			if _, seen := f.texts[path]; seen {
				continue
			}
			if text, err := os.ReadFile(path); err == nil && isOutput(name, text, names) {
				return true
			}
		}
	}
	return false
}

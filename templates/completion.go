package templates

import "embed"

// This file holds the scripts that make shells complete idemgen's command lines. They only ask the command.

//go:embed completion/*.txt
var completion embed.FS

// Completion is the script for a shell: bash, zsh, fish or powershell.
func Completion(shell string) string {
	text, err := completion.ReadFile("completion/" + shell + ".txt")
	if err != nil {
		panic(err) // the caller knows the shells
	}
	return string(text)
}

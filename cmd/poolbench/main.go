package main

import "github.com/poolbench/poolbench"

func main() { poolbench.Main() }

// Follows a log with golang.org/x/mod/sumdb: its signed notes, tiles and proofs.
// Usage: go-log URL VKEY [PREVIOUS CHECKPOINT FILE]
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func get(url string) []byte {
	response, err := http.Get(url)
	must(err)
	defer response.Body.Close()
	bytes, err := io.ReadAll(response.Body)
	must(err)
	if response.StatusCode != 200 {
		must(fmt.Errorf("%s: %s", url, response.Status))
	}
	return bytes
}

// Reads tiles; their paths differ from those of sumdb only in the height of 8.
type reader struct{ base string }

func (r reader) Height() int                     { return 8 }
func (r reader) SaveTiles([]tlog.Tile, [][]byte) {}
func (r reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		all = append(all, get(r.base+"/"+strings.Replace(tile.Path(), "tile/8/", "tile/", 1)))
	}
	return all, nil
}

func open(text []byte, key string) tlog.Tree {
	verifier, err := note.NewVerifier(key)
	must(err)
	opened, err := note.Open(text, note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	var size int64
	_, err = fmt.Sscan(lines[1], &size)
	must(err)
	hash, err := tlog.ParseHash(lines[2])
	must(err)
	return tlog.Tree{N: size, Hash: hash}
}

func main() {
	base, key := os.Args[1], os.Args[2]
	tree := open(get(base+"/checkpoint"), key)
	hashes := tlog.TileHashReader(tree, reader{base})
	root, err := tlog.TreeHash(tree.N, hashes)
	must(err)
	fmt.Println("root", root == tree.Hash)
	for index := int64(0); index < tree.N; {
		path := fmt.Sprintf("%03d", index/256)
		width := tree.N - index
		if width < 256 {
			path += fmt.Sprintf(".p/%d", width)
		}
		for bundle := get(base + "/tile/entries/" + path); len(bundle) > 0; index++ {
			length := int(bundle[0])<<8 | int(bundle[1])
			entry := bundle[2 : 2+length]
			bundle = bundle[2+length:]
			proof, err := tlog.ProveRecord(tree.N, index, hashes)
			must(err)
			must(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)))
		}
	}
	fmt.Println("included", tree.N)
	if len(os.Args) > 3 {
		text, err := os.ReadFile(os.Args[3])
		must(err)
		old := open(text, key)
		proof, err := tlog.ProveTree(tree.N, old.N, hashes)
		must(err)
		must(tlog.CheckTree(proof, tree.N, tree.Hash, old.N, old.Hash))
		fmt.Println("consistent", old.N, tree.N)
	}
}

// Reads a log of ours with Go's own packages and says what is wrong with it.
//
//	checker VKEY
//
// Standard input has one task a line, standard output one answer a line: "ok", or what is wrong.
//
//	tree CHECKPOINT OLDER ADDRESS   The two files are notes, OLDER may be "-". The note opens, its root is that of the
//	                                tiles below the address, entries of the bundles are included, and it is consistent
//	                                with the older one.
//	proof FILE                      A tlog-proof with its entry as extra.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

type tiles struct {
	address string
	cache   map[string][]byte
}

func (t *tiles) Height() int                              { return height }
func (t *tiles) SaveTiles(all []tlog.Tile, data [][]byte) {}

func (t *tiles) ReadTiles(all []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range all {
		// Ours have no height in their path.
		path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", height), "tile/", 1)
		bytes, err := t.get(path)
		if err != nil {
			return nil, err
		}
		data = append(data, bytes)
	}
	return data, nil
}

func (t *tiles) get(path string) ([]byte, error) {
	if known, ok := t.cache[path]; ok {
		return known, nil
	}
	response, err := http.Get(t.address + path)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != 200 {
		err = fmt.Errorf("%s: status %d", path, response.StatusCode)
	}
	if err == nil {
		t.cache[path] = body
	}
	return body, err
}

func (t *tiles) entry(index, size int64) ([]byte, error) {
	n, width := index/256, int64(256)
	if size-n*256 < width {
		width = size - n*256
	}
	tile := tlog.Tile{H: height, L: -1, N: n, W: int(width)}
	path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/data/", height), "tile/entries/", 1)
	bundle, err := t.get(path)
	if err != nil {
		return nil, err
	}
	var found []byte
	for i := int64(0); i < width; i++ {
		if len(bundle) < 2 {
			return nil, fmt.Errorf("%s: ends too early", path)
		}
		length := int(binary.BigEndian.Uint16(bundle))
		if len(bundle) < 2+length {
			return nil, fmt.Errorf("%s: ends inside an entry", path)
		}
		if i == index%256 {
			found = bundle[2 : 2+length]
		}
		bundle = bundle[2+length:]
	}
	if len(bundle) != 0 {
		return nil, fmt.Errorf("%s: goes on behind the last entry", path)
	}
	return found, nil
}

// Checkpoints have a line of their own in place of the one that sumdb begins its trees with.
func open(signed []byte, verifiers note.Verifiers) (tlog.Tree, error) {
	opened, err := note.Open(signed, verifiers)
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != opened.Sigs[0].Name || lines[3] != "" {
		return tlog.Tree{}, fmt.Errorf("no checkpoint: %q", opened.Text)
	}
	return tlog.ParseTree([]byte("go.sum database tree\n" + lines[1] + "\n" + lines[2] + "\n"))
}

func (t *tiles) check(tree tlog.Tree, older *tlog.Tree) error {
	if tree.N == 0 {
		return nil
	}
	reader := tlog.TileHashReader(tree, t)
	root, err := tlog.TreeHash(tree.N, reader)
	if err != nil {
		return err
	}
	if root != tree.Hash {
		return fmt.Errorf("the root of the tiles is %v, that of the checkpoint %v", root, tree.Hash)
	}
	if err := t.checkEntries(tree, reader); err != nil {
		return err
	}
	if older == nil || older.N == 0 {
		return nil
	}
	proof, err := tlog.ProveTree(tree.N, older.N, reader)
	if err != nil {
		return err
	}
	if err := tlog.CheckTree(proof, tree.N, tree.Hash, older.N, older.Hash); err != nil {
		return fmt.Errorf("consistency with %d: %v", older.N, err)
	}
	return nil
}

// All entries of small trees; of large ones some are proved.
func (t *tiles) checkEntries(tree tlog.Tree, reader tlog.HashReader) error {
	if tree.N <= 1000 {
		var indexes []int64
		for i := int64(0); i < tree.N; i++ {
			indexes = append(indexes, tlog.StoredHashIndex(0, i))
		}
		hashes, err := reader.ReadHashes(indexes)
		if err != nil {
			return err
		}
		for i, hash := range hashes {
			entry, err := t.entry(int64(i), tree.N)
			if err != nil {
				return err
			}
			if tlog.RecordHash(entry) != hash {
				return fmt.Errorf("entry %d is not the one of the tree", i)
			}
		}
	}
	for _, index := range []int64{0, tree.N / 2, rand.Int63n(tree.N), tree.N - 1} {
		entry, err := t.entry(index, tree.N)
		if err != nil {
			return err
		}
		proof, err := tlog.ProveRecord(tree.N, index, reader)
		if err != nil {
			return err
		}
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)); err != nil {
			return fmt.Errorf("entry %d: %v", index, err)
		}
	}
	return nil
}

func checkProof(text []byte, verifiers note.Verifiers) error {
	head, signed, found := bytes.Cut(text, []byte("\n\n"))
	if !found {
		return fmt.Errorf("no checkpoint in the proof")
	}
	lines := strings.Split(string(head), "\n")
	if len(lines) < 3 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return fmt.Errorf("no proof")
	}
	entry, err := base64.StdEncoding.Strict().DecodeString(strings.TrimPrefix(lines[1], "extra "))
	if err != nil {
		return err
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	if err != nil {
		return err
	}
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		bytes, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil || len(bytes) != tlog.HashSize {
			return fmt.Errorf("no hash: %q", line)
		}
		proof = append(proof, tlog.Hash(*(*[tlog.HashSize]byte)(bytes)))
	}
	tree, err := open(signed, verifiers)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry))
}

func main() {
	verifier, err := note.NewVerifier(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	verifiers := note.VerifierList(verifier)
	logs := map[string]*tiles{}
	tasks := bufio.NewScanner(os.Stdin)
	for tasks.Scan() {
		task := strings.Fields(tasks.Text())
		var err error
		if task[0] == "proof" {
			err = workProof(task[1], verifiers)
		} else {
			if logs[task[3]] == nil {
				logs[task[3]] = &tiles{address: task[3], cache: map[string][]byte{}}
			}
			err = logs[task[3]].work(task[1], task[2], verifiers)
		}
		if err != nil {
			fmt.Println(strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println("ok")
		}
	}
}

func workProof(file string, verifiers note.Verifiers) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return checkProof(text, verifiers)
}

func openFile(file string, verifiers note.Verifiers) (tlog.Tree, error) {
	signed, err := os.ReadFile(file)
	if err != nil {
		return tlog.Tree{}, err
	}
	return open(signed, verifiers)
}

func (t *tiles) work(file, olderFile string, verifiers note.Verifiers) error {
	tree, err := openFile(file, verifiers)
	if err != nil {
		return err
	}
	if olderFile == "-" {
		return t.check(tree, nil)
	}
	older, err := openFile(olderFile, verifiers)
	if err != nil {
		return err
	}
	return t.check(tree, &older)
}

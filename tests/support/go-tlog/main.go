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
//	consistent CHECKPOINT OLDER FILE  The file has a hash a line, which are a consistency proof between the two notes.
//	prove CHECKPOINT OLDER ADDRESS  Answers with such a proof, made from the tiles: "ok" and hashes with blanks between.
//	cosigned CHECKPOINT VKEY        The note bears a cosignature/v1 of this witness beside the log's own signature.
package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
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

// A witness's key (C2SP tlog-cosignature), which sumdb/note does not know by itself.
type cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.hash }

func (c cosigner) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	seconds := binary.BigEndian.Uint64(signature)
	message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", seconds, text)
	return ed25519.Verify(c.key, []byte(message), signature[8:])
}

func parseCosigner(vkey string) (note.Verifier, error) {
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) != 3 {
		return nil, fmt.Errorf("no verifier key")
	}
	hash, err := strconv.ParseUint(parts[1], 16, 32)
	if err != nil {
		return nil, err
	}
	typed, err := base64.StdEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(typed) != 1+ed25519.PublicKeySize || typed[0] != 4 {
		return nil, fmt.Errorf("no key of a witness: %v", err)
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), typed...))
	if binary.BigEndian.Uint32(sum[:]) != uint32(hash) {
		return nil, fmt.Errorf("another key ID")
	}
	return cosigner{parts[0], uint32(hash), typed[1:]}, nil
}

func workCosigned(file, vkey string, log note.Verifier) error {
	signed, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	witness, err := parseCosigner(vkey)
	if err != nil {
		return err
	}
	opened, err := note.Open(signed, note.VerifierList(log, witness))
	if err == nil && len(opened.Sigs) != 2 {
		err = fmt.Errorf("%d signatures verified", len(opened.Sigs))
	}
	return err
}

func openBoth(file, olderFile string, verifiers note.Verifiers) (tree, older tlog.Tree, err error) {
	if tree, err = openFile(file, verifiers); err == nil {
		older, err = openFile(olderFile, verifiers)
	}
	return tree, older, err
}

func workConsistent(file, olderFile, proofFile string, verifiers note.Verifiers) error {
	tree, older, err := openBoth(file, olderFile, verifiers)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(proofFile)
	if err != nil {
		return err
	}
	var proof tlog.TreeProof
	for _, line := range strings.Fields(string(text)) {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return err
		}
		proof = append(proof, hash)
	}
	return tlog.CheckTree(proof, tree.N, tree.Hash, older.N, older.Hash)
}

func (t *tiles) prove(file, olderFile string, verifiers note.Verifiers) (string, error) {
	tree, older, err := openBoth(file, olderFile, verifiers)
	if err != nil {
		return "", err
	}
	proof, err := tlog.ProveTree(tree.N, older.N, tlog.TileHashReader(tree, t))
	if err != nil {
		return "", err
	}
	answer := "ok"
	for _, hash := range proof {
		answer += " " + hash.String()
	}
	return answer, nil
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
		answer := "ok"
		if len(task) > 3 && logs[task[3]] == nil {
			logs[task[3]] = &tiles{address: task[3], cache: map[string][]byte{}}
		}
		switch task[0] {
		case "proof":
			err = workProof(task[1], verifiers)
		case "consistent":
			err = workConsistent(task[1], task[2], task[3], verifiers)
		case "cosigned":
			err = workCosigned(task[1], task[2], verifier)
		case "prove":
			answer, err = logs[task[3]].prove(task[1], task[2], verifiers)
		default:
			err = logs[task[3]].work(task[1], task[2], verifiers)
		}
		if err != nil {
			answer = strings.ReplaceAll(err.Error(), "\n", " ")
		}
		fmt.Println(answer)
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

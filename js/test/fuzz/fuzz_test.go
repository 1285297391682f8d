//go:build !js

// Package fuzz feeds a client of the package whatever its port may bring.
package fuzz

import (
	"bufio"
	"encoding/binary"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzClient takes its input for what a user and a hub do to a client, in Node: see trial.ts, which says what must be
// so whatever they do.
func FuzzClient(f *testing.F) {
	if _, err := exec.LookPath("node"); err != nil {
		f.Skip("no node on PATH")
	}
	for _, s := range scenarios() {
		f.Add(s.code())
	}
	client := &node{}
	f.Cleanup(client.stop)
	f.Fuzz(func(t *testing.T, input []byte) {
		seen, wrong := client.tries(t, input)
		for _, what := range seen {
			covers(what)
		}
		require.Empty(t, wrong)
	})
}

// patience is how long a trial may take: a thousand times as long as it does.
const patience = 20 * time.Second

// node is the process in which clients are tried, one after the other.
type node struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// tries has a client fed with the input, and returns what was seen and what was wrong.
func (n *node) tries(t *testing.T, input []byte) (seen []byte, wrong string) {
	if n.process == nil {
		n.start(t)
	}
	hangs := time.AfterFunc(patience, func() { _ = n.process.Process.Kill() })
	frame, err := n.asks(input)
	if !hangs.Stop() || err != nil {
		n.stop()
		t.Fatalf("the client hangs, or its process has ended: %v", err)
	}
	size := binary.LittleEndian.Uint32(frame)
	return frame[4:][:size], string(frame[4+size:])
}

func (n *node) asks(input []byte) ([]byte, error) {
	question := append(binary.LittleEndian.AppendUint32(nil, uint32(len(input))), input...)
	if _, err := n.in.Write(question); err != nil {
		return nil, err
	}
	var size [4]byte
	if _, err := io.ReadFull(n.out, size[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.LittleEndian.Uint32(size[:]))
	_, err := io.ReadFull(n.out, frame)
	return frame, err
}

func (n *node) start(t *testing.T) {
	p := exec.Command("node", "../../build/fuzz/client.js")
	var err error
	n.in, err = p.StdinPipe()
	require.NoError(t, err)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	n.process, n.out = p, bufio.NewReader(out)
}

func (n *node) stop() {
	if n.process == nil {
		return
	}
	_ = n.in.Close() // then it ends
	_ = n.process.Process.Kill()
	_ = n.process.Wait()
	n.process = nil
}

var never bool

// covers counts as coverage what was seen in Node, where Go sees nothing: there is a branch for each number.
func covers(n byte) bool {
	return n == 0 && never || n == 1 && never || n == 2 && never || n == 3 && never || n == 4 && never ||
		n == 5 && never || n == 6 && never || n == 7 && never || n == 8 && never || n == 9 && never ||
		n == 10 && never || n == 11 && never || n == 12 && never || n == 13 && never || n == 14 && never ||
		n == 15 && never || n == 16 && never || n == 17 && never || n == 18 && never || n == 19 && never ||
		n == 20 && never || n == 21 && never || n == 22 && never || n == 23 && never || n == 24 && never ||
		n == 25 && never || n == 26 && never || n == 27 && never || n == 28 && never || n == 29 && never ||
		n == 30 && never || n == 31 && never || n == 32 && never || n == 33 && never || n == 34 && never ||
		n == 35 && never || n == 36 && never || n == 37 && never || n == 38 && never || n == 39 && never ||
		n == 40 && never || n == 41 && never || n == 42 && never || n == 43 && never || n == 44 && never ||
		n == 45 && never || n == 46 && never || n == 47 && never || n == 48 && never || n == 49 && never ||
		n == 50 && never || n == 51 && never || n == 52 && never || n == 53 && never || n == 54 && never ||
		n == 55 && never || n == 56 && never || n == 57 && never || n == 58 && never || n == 59 && never ||
		n == 60 && never || n == 61 && never || n == 62 && never || n == 63 && never || n == 64 && never ||
		n == 65 && never || n == 66 && never || n == 67 && never || n == 68 && never || n == 69 && never ||
		n == 70 && never || n == 71 && never || n == 72 && never || n == 73 && never || n == 74 && never ||
		n == 75 && never || n == 76 && never || n == 77 && never || n == 78 && never || n == 79 && never ||
		n == 80 && never || n == 81 && never || n == 82 && never || n == 83 && never || n == 84 && never ||
		n == 85 && never || n == 86 && never || n == 87 && never || n == 88 && never || n == 89 && never ||
		n == 90 && never || n == 91 && never || n == 92 && never || n == 93 && never || n == 94 && never ||
		n == 95 && never || n == 96 && never || n == 97 && never || n == 98 && never || n == 99 && never ||
		n == 100 && never || n == 101 && never || n == 102 && never || n == 103 && never || n == 104 && never ||
		n == 105 && never || n == 106 && never || n == 107 && never || n == 108 && never || n == 109 && never ||
		n == 110 && never || n == 111 && never || n == 112 && never || n == 113 && never || n == 114 && never ||
		n == 115 && never || n == 116 && never || n == 117 && never || n == 118 && never || n == 119 && never ||
		n == 120 && never || n == 121 && never || n == 122 && never || n == 123 && never || n == 124 && never ||
		n == 125 && never || n == 126 && never || n == 127 && never || n == 128 && never || n == 129 && never ||
		n == 130 && never || n == 131 && never || n == 132 && never || n == 133 && never || n == 134 && never ||
		n == 135 && never || n == 136 && never || n == 137 && never || n == 138 && never || n == 139 && never ||
		n == 140 && never || n == 141 && never || n == 142 && never || n == 143 && never || n == 144 && never ||
		n == 145 && never || n == 146 && never || n == 147 && never || n == 148 && never || n == 149 && never ||
		n == 150 && never || n == 151 && never || n == 152 && never || n == 153 && never || n == 154 && never ||
		n == 155 && never || n == 156 && never || n == 157 && never || n == 158 && never || n == 159 && never ||
		n == 160 && never || n == 161 && never || n == 162 && never || n == 163 && never || n == 164 && never ||
		n == 165 && never || n == 166 && never || n == 167 && never || n == 168 && never || n == 169 && never ||
		n == 170 && never || n == 171 && never || n == 172 && never || n == 173 && never || n == 174 && never ||
		n == 175 && never || n == 176 && never || n == 177 && never || n == 178 && never || n == 179 && never ||
		n == 180 && never || n == 181 && never || n == 182 && never || n == 183 && never || n == 184 && never ||
		n == 185 && never || n == 186 && never || n == 187 && never || n == 188 && never || n == 189 && never ||
		n == 190 && never || n == 191 && never || n == 192 && never || n == 193 && never || n == 194 && never ||
		n == 195 && never || n == 196 && never || n == 197 && never || n == 198 && never || n == 199 && never ||
		n == 200 && never || n == 201 && never || n == 202 && never || n == 203 && never || n == 204 && never ||
		n == 205 && never || n == 206 && never || n == 207 && never || n == 208 && never || n == 209 && never ||
		n == 210 && never || n == 211 && never || n == 212 && never || n == 213 && never || n == 214 && never ||
		n == 215 && never || n == 216 && never || n == 217 && never || n == 218 && never || n == 219 && never ||
		n == 220 && never || n == 221 && never || n == 222 && never || n == 223 && never || n == 224 && never ||
		n == 225 && never || n == 226 && never || n == 227 && never || n == 228 && never || n == 229 && never ||
		n == 230 && never || n == 231 && never || n == 232 && never || n == 233 && never || n == 234 && never ||
		n == 235 && never || n == 236 && never || n == 237 && never || n == 238 && never || n == 239 && never ||
		n == 240 && never || n == 241 && never || n == 242 && never || n == 243 && never || n == 244 && never ||
		n == 245 && never || n == 246 && never || n == 247 && never || n == 248 && never || n == 249 && never ||
		n == 250 && never || n == 251 && never || n == 252 && never || n == 253 && never || n == 254 && never ||
		n == 255 && never
}

// Franz-go as a contestant: answers the requests of ../contest.py, which explains them.
//
// Decoding is kgo.ProcessFetchPartition, the function that kgo's own consumer calls. Encoding is private to kgo's
// producer (sink.go: seqRecBatch.appendTo, promisedRec.appendTo): the same steps are taken here with the same public
// parts, kbin and kgo's compressor.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	baseOverhead = 12 // base offset, length
	crcAt        = 17
	recordsAt    = 61
	attributesAt = 21
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type answer struct {
	Peer       string  `json:"peer"`
	Version    string  `json:"version"`
	Work       string  `json:"work"`
	Corpus     string  `json:"corpus"`
	Codec      string  `json:"codec"`
	Level      string  `json:"level,omitempty"`
	Rounds     int     `json:"rounds"`
	Records    int64   `json:"records"`
	Offsets    int64   `json:"offsets"`
	Timestamps int64   `json:"timestamps"`
	KeyBytes   int64   `json:"key_bytes"`
	ValueBytes int64   `json:"value_bytes"`
	Headers    int64   `json:"headers"`
	Bytes      int64   `json:"bytes"`
	Best       float64 `json:"cpu_seconds_best"`
	Mean       float64 `json:"cpu_seconds_mean"`
}

// addAll touches every field of every record.
func (a *answer) addAll(records []*kgo.Record) {
	for _, record := range records {
		a.Records++
		a.Offsets += record.Offset
		a.Timestamps += record.Timestamp.UnixMilli()
		a.KeyBytes += int64(len(record.Key))
		a.ValueBytes += int64(len(record.Value))
		a.Headers += int64(len(record.Headers))
	}
}

// held is what is kept between requests, so that a round begins with everything in memory.
type held struct {
	path    string
	data    []byte
	batches [][]*kgo.Record
}

func (h *held) load(path string) error {
	if h.path == path {
		return nil
	}
	*h = held{}
	debug.FreeOSMemory()
	data, err := os.ReadFile(path)
	h.path, h.data = path, data
	return err
}

func (h *held) loadRecords(path string) error {
	if err := h.load(path); err != nil || h.batches != nil {
		return err
	}
	return eachBatch(h.data, kgo.DefaultDecompressor(), func(records []*kgo.Record) {
		h.batches = append(h.batches, records)
	})
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

// eachBatch decodes one batch at a time, as small fetches would.
func eachBatch(data []byte, decompressor kgo.Decompressor, use func([]*kgo.Record)) error {
	for len(data) > 0 {
		size := baseOverhead + int(binary.BigEndian.Uint32(data[8:]))
		partition := kmsg.FetchResponseTopicPartition{RecordBatches: data[:size]}
		found, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{}, &partition, decompressor, nil)
		if found.Err != nil {
			return found.Err
		}
		use(found.Records)
		data = data[size:]
	}
	return nil
}

// decode holds all records of the buffer to the end.
func decode(data []byte, decompressor kgo.Decompressor, into *answer) error {
	var held [][]*kgo.Record
	err := eachBatch(data, decompressor, func(records []*kgo.Record) { held = append(held, records) })
	for _, records := range held {
		into.addAll(records)
	}
	return err
}

// decodeDropping lets go of each batch's records before the next one's are made.
func decodeDropping(data []byte, decompressor kgo.Decompressor, into *answer) error {
	return eachBatch(data, decompressor, into.addAll)
}

func sizeOf(record *kgo.Record, timestampDelta int64, offsetDelta int32) int32 {
	size := 1 + kbin.VarlongLen(timestampDelta) + kbin.VarintLen(offsetDelta) +
		kbin.VarintLen(int32(len(record.Key))) + len(record.Key) +
		kbin.VarintLen(int32(len(record.Value))) + len(record.Value) +
		kbin.VarintLen(int32(len(record.Headers)))
	for i := range record.Headers {
		header := &record.Headers[i]
		size += kbin.VarintLen(int32(len(header.Key))) + len(header.Key) +
			kbin.VarintLen(int32(len(header.Value))) + len(header.Value)
	}
	return int32(size)
}

func appendRecord(dst []byte, record *kgo.Record, timestampDelta int64, offsetDelta int32) []byte {
	dst = kbin.AppendVarint(dst, sizeOf(record, timestampDelta, offsetDelta))
	dst = kbin.AppendInt8(dst, 0)
	dst = kbin.AppendVarlong(dst, timestampDelta)
	dst = kbin.AppendVarint(dst, offsetDelta)
	dst = kbin.AppendVarintBytes(dst, record.Key)
	dst = kbin.AppendVarintBytes(dst, record.Value)
	dst = kbin.AppendVarint(dst, int32(len(record.Headers)))
	for i := range record.Headers {
		dst = kbin.AppendVarintString(dst, record.Headers[i].Key)
		dst = kbin.AppendVarintBytes(dst, record.Headers[i].Value)
	}
	return dst
}

// appendBatch takes the steps of seqRecBatch.appendTo; records that do not get smaller stay uncompressed there too.
func appendBatch(dst []byte, records []*kgo.Record, compressor kgo.Compressor, scratch *bytes.Buffer) []byte {
	start, first := len(dst), records[0].Timestamp.UnixMilli()
	maxTimestamp := first
	for _, record := range records {
		maxTimestamp = max(maxTimestamp, record.Timestamp.UnixMilli())
	}
	dst = kbin.AppendInt64(dst, records[0].Offset)
	dst = kbin.AppendInt32(dst, 0)  // the length, filled below
	dst = kbin.AppendInt32(dst, -1) // the leader epoch
	dst = kbin.AppendInt8(dst, 2)
	dst = kbin.AppendInt32(dst, 0) // the CRC, filled below
	dst = kbin.AppendInt16(dst, 0)
	dst = kbin.AppendInt32(dst, int32(len(records)-1))
	dst = kbin.AppendInt64(dst, first)
	dst = kbin.AppendInt64(dst, maxTimestamp)
	dst = kbin.AppendInt64(dst, -1)
	dst = kbin.AppendInt16(dst, -1)
	dst = kbin.AppendInt32(dst, -1)
	dst = kbin.AppendInt32(dst, int32(len(records)))
	for i, record := range records {
		dst = appendRecord(dst, record, record.Timestamp.UnixMilli()-first, int32(i))
	}
	batch := dst[start:]
	if compressor != nil {
		scratch.Reset()
		compressed, codec := compressor.Compress(scratch, batch[recordsAt:])
		if compressed != nil && len(compressed) < len(batch)-recordsAt {
			batch = batch[:recordsAt+copy(batch[recordsAt:], compressed)]
			binary.BigEndian.PutUint16(batch[attributesAt:], uint16(codec))
		}
	}
	binary.BigEndian.PutUint32(batch[8:], uint32(len(batch)-baseOverhead))
	binary.BigEndian.PutUint32(batch[crcAt:], crc32.Checksum(batch[attributesAt:], castagnoli))
	return dst[:start+len(batch)]
}

// encode appends batch after batch to one new buffer with room for so many bytes.
func encode(batches [][]*kgo.Record, compressor kgo.Compressor, room int, into *answer) []byte {
	var scratch bytes.Buffer
	buffer := make([]byte, 0, room)
	for _, batch := range batches {
		buffer = appendBatch(buffer, batch, compressor, &scratch)
		into.Records += int64(len(batch))
	}
	into.Bytes = int64(len(buffer))
	return buffer
}

// encodeDropping goes batch by batch into a small buffer that is used again.
func encodeDropping(batches [][]*kgo.Record, compressor kgo.Compressor, into *answer) {
	var scratch bytes.Buffer
	var buffer []byte
	for _, batch := range batches {
		buffer = appendBatch(buffer[:0], batch, compressor, &scratch)
		into.Records += int64(len(batch))
		into.Bytes += int64(len(buffer))
	}
}

// compressorOf returns kgo's own at its default level.
func compressorOf(codec string) (kgo.Compressor, string, error) {
	codecs := map[string]kgo.CompressionCodec{
		"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	if codec == "none" {
		return nil, "", nil
	}
	compressor, err := kgo.DefaultCompressor(codecs[codec])
	return compressor, "default", err
}

// timed runs so many rounds, each into an answer of its own, and returns the last with the best and the mean time.
// The collector runs when it wants to; its time is the process's, as that of everything else.
func timed(rounds int, head answer, run func(*answer) error) (*answer, error) {
	var result answer
	runtime.GC() // what the request before left is not this one's
	best, total := math.Inf(1), 0.0
	for range rounds {
		result = head
		start := cpuSeconds()
		if err := run(&result); err != nil {
			return nil, err
		}
		seconds := cpuSeconds() - start
		best, total = min(best, seconds), total+seconds
	}
	result.Best, result.Mean = best, total/float64(rounds)
	return &result, nil
}

func respond(h *held, request string, version string) (*answer, error) {
	parts := strings.Split(request, "\t")
	if len(parts) != 6 {
		return nil, fmt.Errorf("a request has 6 fields: %q", request)
	}
	work, corpus, codec, path, out := parts[0], parts[1], parts[2], parts[4], parts[5]
	rounds, err := strconv.Atoi(parts[3])
	if err != nil {
		return nil, err
	}
	head := answer{Peer: "franz-go", Version: version, Work: work, Corpus: corpus, Codec: codec, Rounds: rounds}
	if strings.HasPrefix(work, "decode") {
		run := map[string]func([]byte, kgo.Decompressor, *answer) error{
			"decode": decode, "decode-dropping": decodeDropping,
		}[work]
		decompressor := kgo.DefaultDecompressor()
		if err := h.load(path); err != nil {
			return nil, err
		}
		return timed(rounds, head, func(into *answer) error { return run(h.data, decompressor, into) })
	}
	if err := h.loadRecords(path); err != nil {
		return nil, err
	}
	compressor, level, err := compressorOf(codec)
	if err != nil {
		return nil, err
	}
	head.Level = level
	if out != "" {
		encoded := encode(h.batches, compressor, len(h.data), new(answer))
		if err := os.WriteFile(out, encoded, 0o644); err != nil {
			return nil, err
		}
	}
	return timed(rounds, head, func(into *answer) error {
		if work == "encode" {
			encode(h.batches, compressor, len(h.data), into)
		} else {
			encodeDropping(h.batches, compressor, into)
		}
		return nil
	})
}

func versionOf(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return strings.TrimPrefix(dependency.Version, "v")
		}
	}
	return "unknown"
}

func main() {
	runtime.GOMAXPROCS(1)
	version := versionOf("github.com/twmb/franz-go")
	var h held
	out := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		result, err := respond(&h, lines.Text(), version)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(result); err != nil {
			os.Exit(1)
		}
	}
}

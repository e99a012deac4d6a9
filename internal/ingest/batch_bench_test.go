package ingest

import (
	"runtime"
	"strconv"
	"testing"
	"time"
)

// BenchmarkBatcher measures a record's way through a lane when writing costs nothing:
// alone, and together with 64 clients of 100 tenants.
func BenchmarkBatcher(b *testing.B) {
	nothing := func([]*ticket) func() {
		runtime.Gosched() // lets others queue meanwhile
		return func() {}
	}
	var keys []rowKey
	for i := range 10_000 {
		keys = append(keys, testKey(byte(i%100), strconv.Itoa(i)))
	}
	b.Run("alone", func(b *testing.B) {
		lanes := newTestBatcher(2, 4096, mostRecords, nothing)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			_ = lanes.do(keys[i%len(keys)], 200, time.Now(), &ticket{})
		}
		lanes.close()
	})
	b.Run("together", func(b *testing.B) {
		lanes := newTestBatcher(2, 4096, mostRecords, nothing)
		b.ReportAllocs()
		b.SetParallelism(32)
		b.RunParallel(func(loop *testing.PB) {
			for i := time.Now().Nanosecond(); loop.Next(); i++ {
				_ = lanes.do(keys[i%len(keys)], 200, time.Now(), &ticket{})
			}
		})
		lanes.close()
	})
}

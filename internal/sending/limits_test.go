package sending

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// TestWait compares the wait with the first moment at which the sums of the last hour and the last day leave room,
// found by trying every minute.
func TestWait(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		rate := Rate{Hour: 1 + random.Int64N(6), Day: 0}
		rate.Day = rate.Hour + random.Int64N(10)
		var past []mailed
		for range random.IntN(12) {
			past = append(past, mailed{time.Duration(random.IntN(1500)) * time.Minute, 1 + random.Int64N(3)})
		}
		more := 1 + random.Int64N(4)
		fits := func(after time.Duration) bool {
			var hour, day int64
			for _, one := range past {
				if one.age+after < time.Hour {
					hour += one.receivers
				}
				if one.age+after < 24*time.Hour {
					day += one.receivers
				}
			}
			return hour+more <= rate.Hour && day+more <= rate.Day
		}
		wait, never := rate.wait(past, more)
		if more > rate.Hour {
			require.True(t, never)
			continue
		}
		require.False(t, never)
		want := time.Duration(0)
		for !fits(want) {
			want += time.Minute
		}
		require.Equal(t, want, wait, "%v of %v, %d more", past, rate, more)
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	limits := Limits{Person: Rate{3, 10}, Company: Rate{6, 20}, New: Rate{2, 4}}
	now := time.Date(2027, 3, 1, 23, 30, 30, 0, time.UTC)
	of := func(age time.Duration, receivers int64) []mailed { return []mailed{{age, receivers}} }
	for name, tt := range map[string]struct {
		past             recently
		receivers, fresh int64
		code, says       string
		wait             time.Duration
	}{
		"nothing was sent": {receivers: 3, fresh: 2},
		"the person": {past: recently{own: of(40*time.Minute, 2)}, receivers: 2, code: "mail_limit", wait: 20 * time.Minute,
			says: "you have sent as much as is allowed: orders to 3 addresses an hour, 10 a day; this order can be sent at 23:51"},
		"the company": {past: recently{all: of(10*time.Minute, 5)}, receivers: 2, code: "mail_limit", wait: 50 * time.Minute,
			says: "your company has sent as much as is allowed: orders to 6 addresses an hour, 20 a day; " +
				"this order can be sent tomorrow at 00:21"},
		"new receivers in a day": {past: recently{fresh: of(20*time.Hour, 4)}, receivers: 1, fresh: 1, code: "mail_limit",
			wait: 4 * time.Hour,
			says: "your company has sent as much as is allowed: first orders to 2 new addresses an hour, 4 a day; " +
				"this order can be sent tomorrow at 03:31"},
		"known ones are not new": {past: recently{fresh: of(time.Minute, 2)}, receivers: 1},
		"never": {receivers: 3, fresh: 3, code: "too_many_receivers",
			says: "this is more than the limit of first orders to 2 new addresses an hour; take fewer addresses"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := limits.refuse(tt.past, tt.receivers, tt.fresh, now)
			if tt.code == "" {
				require.NoError(t, err)
				return
			}
			require.True(t, fault.HasCode(err, tt.code), "%v", err)
			_, public := fault.Public(err)
			require.Equal(t, tt.says, public.Message)
			require.Equal(t, tt.wait, public.Wait)
		})
	}
}

func TestRateIsRead(t *testing.T) {
	t.Parallel()
	var rate Rate
	require.NoError(t, rate.UnmarshalText([]byte("30/100")))
	require.Equal(t, Rate{30, 100}, rate)
	for _, text := range []string{"", "30", "30/", "/100", "0/10", "30/20", "-1/5", "a/b", "1/2/3", "99999999999/99999999999"} {
		require.Error(t, rate.UnmarshalText([]byte(text)), text)
	}
}

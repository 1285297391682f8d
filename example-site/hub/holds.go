//go:build js && wasm

package main

import (
	"context"
	"slices"
	"strconv"

	"github.com/clca-dev/clca/core"
)

// What the lane holds.

func holdLock(ctx context.Context, l *lane, how string) {
	if how == "steal" {
		l.hold(ctx, "lock", "", false, func(context.Context) (held, error) { return guarded(lock.Steal()) })
	} else {
		holdOne(ctx, l, "lock", lock)
	}
}

func holdShelf(ctx context.Context, l *lane, _ string) { holdOne(ctx, l, "condition lock", shelf) }

func holdOne(ctx context.Context, l *lane, what string, lock *core.Lock) {
	l.hold(ctx, what, "", lock.IsLocked(), func(ctx context.Context) (held, error) { return guarded(lock.Lock(ctx)) })
}

func holdRWLock(ctx context.Context, l *lane, mode string) {
	s := rwlock.Stats()
	parks, acquire := s.Holders > 0, rwlock.Lock
	if mode == "shared" {
		parks, acquire = parks && (!s.Shared || s.Waiting > 0), rwlock.RLock
	}
	l.hold(ctx, "rwlock", mode, parks, func(ctx context.Context) (held, error) { return guarded(acquire(ctx)) })
}

func guarded(g *core.Guard, err error) (held, error) {
	if err != nil {
		return held{}, err
	}
	return held{g.Lost(), g.Unlock, g.Abandoned()}, nil
}

func holdPermits(ctx context.Context, l *lane, how string) {
	n, err := strconv.Atoi(how)
	if err != nil {
		return
	}
	s := semaphore.Stats()
	l.hold(ctx, "semaphore", how, s.Waiting > 0 || s.Available < n, func(ctx context.Context) (held, error) {
		permits, err := semaphore.Acquire(ctx, n)
		if err != nil {
			return held{}, err
		}
		return held{release: permits.Release}, nil
	})
}

// guards are the lane's holds on the reentrant lock: the way in, and so the way out.
var guards []*core.Guard

func enter(ctx context.Context, l *lane, _ string) {
	var guard *core.Guard
	within := len(guards) > 0
	c, ok := l.wait(ctx, "lock again", "", !within && reentrant.IsLocked(), func(ctx context.Context) (err error) {
		if within {
			guard, err = reentrant.LockWithin(guards[len(guards)-1])
		} else {
			guard, err = reentrant.Lock(ctx)
		}
		return err
	})
	if !ok {
		return
	}
	c.held(guard.Abandoned())
	tell := func(step string) {
		if len(guards) > 0 {
			l.become("lock again", "holding ×"+strconv.Itoa(len(guards)))
		} else {
			l.become("lock again", "")
		}
		l.report("lock again", step, len(guards))
	}
	guards = append(guards, guard)
	tell("enters")
	<-ctx.Done()
	guards = slices.DeleteFunc(guards, func(each *core.Guard) bool { return each == guard })
	c.released()
	_ = guard.Unlock()
	tell("exits")
}

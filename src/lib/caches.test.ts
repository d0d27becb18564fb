import { expect, test } from 'vitest'
import { BoundedMap, SecondHitCache } from './caches.ts'
import { SingleFlight } from './concurrency.ts'

test('a bounded map evicts the entry that was set longest ago', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})

test('a second-hit cache stores a value when its key comes for the second time', () => {
  const cache = new SecondHitCache<number>(2)
  cache.offer('a', 1)
  expect(cache.get('a')).toBeUndefined()
  cache.offer('a', 2)
  expect(cache.get('a')).toBe(2)
})

test('the next run of a single flight starts after the one under way, and those who wait share it', async () => {
  const flights = new SingleFlight<string, number>()
  let runs = 0
  const work = async () => ++runs
  const failing = flights.run('a', () => Promise.reject(new Error('failed')))
  const next = [flights.runNext('a', work), flights.runNext('a', work)]
  await expect(failing).rejects.toThrow('failed')
  expect(await Promise.all(next)).toEqual([1, 1])
  expect(await flights.runNext('a', work)).toBe(2)
})

test('a single flight shares a run until it ends, also when it fails', async () => {
  const flights = new SingleFlight<string, number>()
  let runs = 0
  const work = async () => ++runs
  expect(await Promise.all([flights.run('a', work), flights.run('a', work), flights.run('b', work)])).toEqual([1, 1, 2])
  expect(flights.running('a')).toBeUndefined()
  await expect(flights.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await flights.run('a', work)).toBe(3)
})

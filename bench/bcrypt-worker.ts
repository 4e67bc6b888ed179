import { parentPort, workerData } from 'node:worker_threads'
import { compareSync, hashSync } from 'bcryptjs'

/** Compares the password until the time is over and posts how often. */
const { password, seconds }: { password: string; seconds: number } = workerData
const hash = hashSync(password, 10)
compareSync(password, hash)
const until = performance.now() + seconds * 1000
let count = 0
while (performance.now() < until) {
  compareSync(password, hash)
  count += 1
}
parentPort?.postMessage(count)

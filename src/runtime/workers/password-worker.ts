import { compareSync, hashSync } from 'bcryptjs'

const COST = 10

export type PasswordTask = { password: string; hash?: string }

/** Runs in a thread of its own, see passwords.ts: compares with `hash`, or makes a new one. */
export default function work({ password, hash }: PasswordTask): boolean | string {
  return hash === undefined ? hashSync(password, COST) : compareSync(password, hash)
}

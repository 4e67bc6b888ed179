import { compareSync, hashSync } from 'bcryptjs'

const COST = 10

export type PasswordTask = { password: string; hash?: string }

/** Compares the password with `hash`, or hashes it. Runs in the threads of passwords.ts. */
export default function run({ password, hash }: PasswordTask): boolean | string {
  return hash === undefined ? hashSync(password, COST) : compareSync(password, hash)
}

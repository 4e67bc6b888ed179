import { compareSync, hashSync } from 'bcryptjs'

export type PasswordTask = { password: string; cost: number } | { password: string; hash: string }

/** Compares the password with `hash`, or hashes it. Runs in the threads of passwords.ts. */
export default function run(task: PasswordTask): boolean | string {
  return 'hash' in task ? compareSync(task.password, task.hash) : hashSync(task.password, task.cost)
}

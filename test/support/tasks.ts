import { createTasks, type Tasks } from '../../src/runtime/concurrency/tasks.ts'

/** Tasks whose stop aborts all work at once, without a grace period. */
export function createTasksWithoutGrace(): Tasks {
  const tasks = createTasks()
  return {
    ...tasks,
    get stopping() {
      return tasks.stopping
    },
    run: (work) => tasks.run(work),
  }
}

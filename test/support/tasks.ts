import { createTasks, type Tasks } from '../../src/runtime/concurrency/tasks.ts'

/** Tasks of which a stop aborts all work at once, instead of after its grace period. */
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

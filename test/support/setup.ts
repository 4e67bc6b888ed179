import module from 'node:module'
import fc from 'fast-check'

// In CI always the same seed: no change may be refused for an old fault that a random run finds.
if (process.env.CI !== undefined) fc.configureGlobal({ seed: 1 })

// Vitest would cache the compiled tests of each run under new names, which nothing reads or deletes.
module.flushCompileCache = () => {}

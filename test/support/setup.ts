import module from 'node:module'
import fc from 'fast-check'

// A change is refused for its own faults alone: runs at random, which find old ones, are for everyone else.
if (process.env.CI !== undefined) fc.configureGlobal({ seed: 1 })

// Vitest would cache the compiled tests of each run under new names, which nothing reads or deletes.
module.flushCompileCache = () => {}

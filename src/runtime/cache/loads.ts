/** What is being read to be kept, and whether it still may be. */
export type Loads = {
  /** Gives what was read to `keep` unless something changed after the reading began; to the caller in any case. */
  whileUnchanged<T>(read: Promise<T>, keep: (result: T) => void): Promise<T>
  /** Nothing that is being read now is kept. */
  forget(): void
}

/** @param isTrusted whether changes made by others are heard */
export function createLoads(isTrusted: () => boolean): Loads {
  const underWay = new Set<{ kept: boolean }>()
  return {
    async whileUnchanged(read, keep) {
      const reading = { kept: isTrusted() }
      underWay.add(reading)
      try {
        const result = await read
        if (reading.kept) keep(result)
        return result
      } finally {
        underWay.delete(reading)
      }
    },
    forget() {
      for (const reading of underWay) reading.kept = false
    },
  }
}

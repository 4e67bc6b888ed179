import { CronPattern } from 'croner'

type Problem = { variable: string; problem: string }

export type Environment = Record<string, string | undefined>

export type Reader = ReturnType<typeof environmentReader>

/**
 * Typed reads of environment variables; a blank value counts as unset. What can't be used is noted in `problems`, once
 * for each variable, and read as unset: all of them are named in one start.
 */
export function environmentReader(environment: Environment) {
  const problems = new Map<string, Problem>()
  const refuse = (variable: string, problem: string): void => {
    if (!problems.has(variable)) problems.set(variable, { variable, problem })
  }
  const text = (variable: string): string | undefined => {
    const value = environment[variable]?.trim()
    return value === '' ? undefined : value
  }
  const matching = (variable: string, pattern: RegExp, problem: string): string | undefined => {
    const value = text(variable)
    if (value === undefined || pattern.test(value)) return value
    refuse(variable, problem)
    return undefined
  }
  return {
    refuse,
    problems: (): Problem[] => [...problems.values()],
    text,
    matching,
    list(variable: string): string[] {
      const parts = (text(variable) ?? '').split(',').map((part) => part.trim())
      return parts.filter(Boolean)
    },
    integer(variable: string, fallback: number, least: number, most: number): number {
      const value = text(variable)
      if (value === undefined) return fallback
      const number = Number(value)
      if (/^\d+$/.test(value) && number >= least && number <= most) return number
      refuse(variable, `must be a whole number from ${least} to ${most}, not "${value}"`)
      return fallback
    },
    boolean(variable: string, fallback: boolean): boolean {
      const value = text(variable)
      if (value === undefined) return fallback
      if (value !== 'true' && value !== 'false') {
        refuse(variable, `must be true or false, not "${value}"`)
      }
      return value === 'true'
    },
    oneOf<T extends string>(variable: string, allowed: readonly T[], fallback: T): T {
      const value = text(variable)
      if (value === undefined) return fallback
      const found = allowed.find((word) => word === value)
      if (found === undefined) refuse(variable, `must be one of ${allowed.join(', ')}, not "${value}"`)
      return found ?? fallback
    },
    /** Doesn't repeat the value in its message: such an address may hold a password. */
    url(variable: string, protocols: string[]): string | undefined {
      const value = text(variable)
      if (value === undefined) return undefined
      if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value
      refuse(variable, `must be an address that starts with ${protocols.join('// or ')}//`)
      return undefined
    },
    timeZone(variable: string): string {
      const value = text(variable)
      if (value === undefined) return 'UTC'
      try {
        new Intl.DateTimeFormat('en', { timeZone: value })
      } catch {
        refuse(variable, `must be an IANA time zone such as Europe/Moscow, not "${value}"`)
      }
      return value
    },
    cron(variable: string, fallback: string): string {
      const value = text(variable) ?? fallback
      try {
        new CronPattern(value)
      } catch (error) {
        refuse(variable, `is no cron pattern: ${error instanceof Error ? error.message : error}`)
      }
      return value
    },
  }
}

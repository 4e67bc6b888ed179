import { CronPattern } from 'croner'
import { messageOf } from './errors.ts'
import { VARIABLES, type Variable, type VariableName, type VariableWithDefault } from './variables.ts'

export type Environment = Record<string, string | undefined>
export type EnvironmentReader = ReturnType<typeof environmentReader>

/**
 * Typed reads of environment variables. Blank values count as unset, and unset ones have the default of
 * variables.ts. Problems are collected, one per variable, so that a failed start reports all of them; a
 * value with a problem is meaningless.
 */
export function environmentReader(environment: Environment) {
  const problems: { [variable: string]: string } = {}

  function reject(variable: VariableName, problem: string): void {
    problems[variable] ??= problem
  }
  function isSet(variable: VariableName): boolean {
    return Boolean(environment[variable]?.trim())
  }
  function text(variable: VariableWithDefault): string
  function text(variable: VariableName): string | undefined
  function text(variable: VariableName): string | undefined {
    const { default: fallback }: Variable = VARIABLES[variable]
    return environment[variable]?.trim() || fallback
  }

  return {
    problems,
    reject,
    isSet,
    text,
    list(variable: VariableName): string[] {
      const parts = (text(variable) ?? '').split(',').map((part) => part.trim())
      return parts.filter(Boolean)
    },
    hosts(variable: VariableName): string[] {
      const hosts = this.list(variable)
      const wrong = hosts.find((host) => /[/@\s]/.test(host))
      if (wrong !== undefined) reject(variable, `contains ${wrong}, which is not host or host:port`)
      return hosts
    },
    integer(variable: VariableWithDefault, min: number, max: number): number {
      const value = text(variable)
      const isInRange = /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max
      if (!isInRange) reject(variable, `must be a whole number from ${min} to ${max}, not "${value}"`)
      return Number(value)
    },
    boolean(variable: VariableWithDefault): boolean {
      const value = text(variable)
      if (value !== 'true' && value !== 'false') reject(variable, `must be true or false, not "${value}"`)
      return value === 'true'
    },
    oneOf<const T extends string>(variable: VariableWithDefault, allowed: readonly [T, ...T[]]): T {
      const value = text(variable)
      const found = allowed.find((word) => word === value)
      if (found === undefined) reject(variable, `must be one of ${allowed.join(', ')}, not "${value}"`)
      return found ?? allowed[0]
    },
    /** The message doesn't repeat the value, which may contain a password. */
    url(variable: VariableName, protocols: string[]): string | undefined {
      const value = text(variable)
      const isUrl = value && URL.canParse(value) && protocols.includes(new URL(value).protocol)
      if (value && !isUrl) reject(variable, `must be a URL that starts with ${protocols.join('// or ')}//`)
      return value
    },
    /** An http(s) URL that paths are appended to, without slashes at its end. */
    baseUrl(variable: VariableName): string | undefined {
      const value = this.url(variable, ['http:', 'https:'])
      if (value !== undefined && /[?#]/.test(value)) reject(variable, 'must have no query and no fragment')
      return value?.replace(/\/+$/, '')
    },
    timeZone(variable: VariableWithDefault): string {
      const value = text(variable)
      try {
        new Intl.DateTimeFormat('en', { timeZone: value })
      } catch {
        reject(variable, `must be an IANA time zone such as Europe/Moscow, not "${value}"`)
      }
      return value
    },
    cron(variable: VariableWithDefault): string {
      const value = text(variable)
      try {
        new CronPattern(value)
      } catch (error) {
        reject(variable, `must be a cron pattern: ${messageOf(error)}`)
      }
      return value
    },
  }
}

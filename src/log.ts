import { type DestinationStream, type LoggerOptions, pino, stdSerializers } from 'pino'
import { databaseFault } from '../db/errors.ts'
import { requestContext } from './runtime/request-context.ts'

/** Fields of PostgreSQL's errors that quote values of rows, and of the mail library's that hold addresses. */
const WITH_DATA = ['detail', 'where', 'internalQuery', 'hint', 'rejected', 'rejectedErrors', 'envelope', 'response']

/** Creates the log; each line that a request causes carries its id. Errors are logged without the data that they quote. */
export function createLog(options: LoggerOptions, destination?: DestinationStream) {
  const err = (error: Error) => {
    const fields = Object.entries(stdSerializers.err(error))
    // During an outage of the database stacks would fill the log.
    const omitted = databaseFault(error) === 'UNAVAILABLE' ? [...WITH_DATA, 'stack'] : WITH_DATA
    return Object.fromEntries(fields.filter(([field]) => !omitted.includes(field)))
  }
  // A new object each time: the logger adds the line's own fields to it.
  const mixin = () => ({ ...requestContext.getStore()?.fields })
  const all: LoggerOptions = { ...options, mixin, serializers: { err } }
  return destination === undefined ? pino(all) : pino(all, destination)
}

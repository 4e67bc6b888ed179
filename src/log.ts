import { type DestinationStream, type LoggerOptions, pino, stdSerializers } from 'pino'
import { requestContext } from './runtime/request-context.ts'

/** Fields of PostgreSQL's errors that quote values of rows, and of the mail library's that hold addresses. */
const WITH_DATA = ['detail', 'where', 'internalQuery', 'hint', 'rejected', 'rejectedErrors', 'envelope', 'response']

/** Creates the log; each line that a request causes carries its id. Errors are logged without the data that they quote. */
export function createLog(options: LoggerOptions, destination?: DestinationStream) {
  const err = (error: Error) => {
    const fields = Object.entries(stdSerializers.err(error))
    return Object.fromEntries(fields.filter(([field]) => !WITH_DATA.includes(field)))
  }
  // A new object each time: the logger adds the line's own fields to it.
  const mixin = () => ({ ...requestContext.getStore()?.fields })
  const all: LoggerOptions = { ...options, mixin, serializers: { err } }
  return destination === undefined ? pino(all) : pino(all, destination)
}

import type { Attributes, Span, Tracer } from '@opentelemetry/api'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { FastifyBaseLogger } from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import { messageOf } from '../errors.ts'
import { requestContext } from './request-context.ts'

type Tracing = { api: typeof import('@opentelemetry/api'); tracer: Tracer }

/** Undefined while traces are off: then none of the packages is loaded. */
let tracing: Tracing | undefined

export const currentTracing = () => tracing

/** Of the time that a stop takes. */
const FLUSH_TIMEOUT_MS = 1000
const MAX_ATTRIBUTE_LENGTH = 4000

/**
 * Exports traces to a collector, in the background (docs/metrics.md). One that is away, silent or slow costs spans, no request.
 * @param endpoint base address of OTLP over HTTP
 * @param ratio share of the traces that are exported
 * @returns a function that exports what is left, within a second
 */
export async function startTracing(
  { endpoint, ratio }: { endpoint: string; ratio: number },
  log: FastifyBaseLogger,
): Promise<() => Promise<void>> {
  const [api, sdk, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
  ])
  const own = resources.resourceFromAttributes({ 'service.name': manifest.name, 'service.version': manifest.version })
  const fromEnvironment = resources.detectResources({ detectors: [resources.envDetector] })
  const provider = new sdk.TracerProvider({
    resource: resources.defaultResource().merge(own).merge(fromEnvironment),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: reportFailures(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }), log),
      }),
    ],
  })
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  tracing = { api, tracer: provider.getTracer(manifest.name) }
  return async () => {
    tracing = undefined
    // What isn't exported is lost, and was reported.
    const flushed = provider.shutdown().catch(() => {})
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, FLUSH_TIMEOUT_MS)
    await Promise.race([flushed, timeout.promise])
    clearTimeout(timer)
    api.context.disable()
  }
}

/** Logs when exports begin to fail, and when they succeed again. */
function reportFailures(exporter: SpanExporter, log: FastifyBaseLogger): SpanExporter {
  let failing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const { error } = result
        // The batch belongs to no request, but is sent in the context of one.
        requestContext.exit(() => {
          if (error && !failing) log.warn({ error: messageOf(error) }, 'traces not exported')
          if (!error && failing) log.info('traces exported again')
        })
        failing = error !== undefined
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}

/** Runs work in a span of its own: a trace, or a part of the current one. */
export function inTrace<T>(name: string, work: () => Promise<T>): Promise<T> {
  return tracing === undefined ? work() : runIn(tracing, name, 'INTERNAL', {}, work)
}

/**
 * Runs a call of another service in a span of the current trace. Without one there is no span: polling would make traces of
 * one query each.
 */
export function inSpan<T>(
  name: string,
  attributes: Attributes,
  call: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (tracing?.api.trace.getActiveSpan() === undefined) return call(undefined)
  return runIn(tracing, name, 'CLIENT', attributes, call)
}

function runIn<T>(
  { api, tracer }: Tracing,
  name: string,
  kind: 'CLIENT' | 'INTERNAL',
  attributes: Attributes,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { kind: api.SpanKind[kind], attributes }, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      // Never the message, which may repeat values.
      const { code, name: type } = Object(error)
      span.setStatus({ code: api.SpanStatusCode.ERROR }).setAttribute('error.type', String(code ?? type))
      throw error
    } finally {
      span.end()
    }
  })
}

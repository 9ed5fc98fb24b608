/** Bodies of OTLP/HTTP, JSON or protobuf → spans, metrics and logs, each as flat as tests want it. */
import { doubleOf, type Message, readMessage, textOf } from "./protobuf.ts"

export type Value = string | number | boolean | undefined | ReadonlyArray<Value>
export type Attributes = Readonly<Record<string, Value>>

export interface ReadSpan {
  readonly traceId: string
  readonly spanId: string
  /** Undefined of a root. */
  readonly parentId: string | undefined
  readonly name: string
  /** 1 internal, 3 client. */
  readonly kind: number
  readonly startNanos: bigint
  readonly endNanos: bigint
  readonly attributes: Attributes
  readonly events: ReadonlyArray<{ readonly name: string; readonly atNanos: bigint; readonly attributes: Attributes }>
  /** 0 unset, 1 ok, 2 error. */
  readonly status: { readonly code: number; readonly message: string | undefined }
  readonly resource: Attributes
}

export interface ReadMetric {
  readonly name: string
  /** One for each set of attributes; `count` of a histogram. */
  readonly points: ReadonlyArray<{ readonly attributes: Attributes; readonly value: number }>
  readonly resource: Attributes
}

export interface ReadLog {
  readonly body: Value
  readonly severity: string
  readonly attributes: Attributes
  readonly traceId: string | undefined
  readonly spanId: string | undefined
  readonly resource: Attributes
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

// Protobuf; the numbers are those of opentelemetry-proto 1.x.

const anyValue = (any: Message): Value => {
  const [text] = any.bytes(1)
  if (text !== undefined) return textOf(text)
  const [bool] = any.numbers(2)
  if (bool !== undefined) return bool !== 0n
  const [int] = any.numbers(3)
  if (int !== undefined) return Number(BigInt.asIntN(64, int))
  const [double] = any.numbers(4)
  if (double !== undefined) return doubleOf(double)
  const [array] = any.bytes(5)
  if (array === undefined) return undefined
  return readMessage(array)
    .bytes(1)
    .map((each) => anyValue(readMessage(each)))
}

const children = (message: Message | undefined, field: number): ReadonlyArray<Message> =>
  message?.bytes(field).map(readMessage) ?? []

const attributesAt = (message: Message | undefined, field: number): Attributes =>
  Object.fromEntries(
    children(message, field).map((pair) => {
      const [key = new Uint8Array()] = pair.bytes(1)
      const [value] = children(pair, 2)
      return [textOf(key), value === undefined ? undefined : anyValue(value)]
    })
  )

const text = (message: Message | undefined, field: number) => {
  const [bytes] = message?.bytes(field) ?? []
  return bytes === undefined || bytes.length === 0 ? undefined : textOf(bytes)
}
const id = (message: Message, field: number) => {
  const [bytes] = message.bytes(field)
  return bytes === undefined || bytes.length === 0 ? undefined : hex(bytes)
}
const number = (message: Message | undefined, field: number) => message?.numbers(field)[0] ?? 0n

/** The leaves below resources and scopes, with the resource's attributes. */
const leaves = (body: Uint8Array) =>
  children(readMessage(body), 1).flatMap((ofResource) => {
    const resource = attributesAt(children(ofResource, 1)[0], 1)
    return children(ofResource, 2).flatMap((ofScope) => children(ofScope, 2).map((leaf) => ({ leaf, resource })))
  })

const protobuf = {
  traces: (body: Uint8Array): ReadonlyArray<ReadSpan> =>
    leaves(body).map(({ leaf, resource }) => ({
      traceId: id(leaf, 1) ?? "",
      spanId: id(leaf, 2) ?? "",
      parentId: id(leaf, 4),
      name: text(leaf, 5) ?? "",
      kind: Number(number(leaf, 6)),
      startNanos: number(leaf, 7),
      endNanos: number(leaf, 8),
      attributes: attributesAt(leaf, 9),
      events: children(leaf, 11).map((event) => ({
        name: text(event, 2) ?? "",
        atNanos: number(event, 1),
        attributes: attributesAt(event, 3)
      })),
      status: { code: Number(number(children(leaf, 15)[0], 3)), message: text(children(leaf, 15)[0], 2) },
      resource
    })),
  metrics: (body: Uint8Array): ReadonlyArray<ReadMetric> =>
    leaves(body).map(({ leaf, resource }) => {
      // Gauge 5 and sum 7 have number points; histogram 9 has its own.
      const numbers = [5, 7].flatMap((field) => children(leaf, field)).flatMap((data) => children(data, 1))
      const histograms = children(leaf, 9).flatMap((data) => children(data, 1))
      const points = [
        ...numbers.map((point) => {
          const [int, double] = [point.numbers(6)[0], point.numbers(4)[0]]
          const value = int !== undefined ? Number(BigInt.asIntN(64, int)) : doubleOf(double ?? 0n)
          return { attributes: attributesAt(point, 7), value }
        }),
        ...histograms.map((point) => ({ attributes: attributesAt(point, 9), value: Number(number(point, 4)) }))
      ]
      return { name: text(leaf, 1) ?? "", points, resource }
    }),
  logs: (body: Uint8Array): ReadonlyArray<ReadLog> =>
    leaves(body).map(({ leaf, resource }) => {
      const [content] = children(leaf, 5)
      return {
        body: content === undefined ? undefined : anyValue(content),
        severity: text(leaf, 3) ?? "",
        attributes: attributesAt(leaf, 6),
        traceId: id(leaf, 9),
        spanId: id(leaf, 10),
        resource
      }
    })
}

// JSON

/** As `JSON.parse` gives it: read leniently, since several CLIs write it. */
// biome-ignore lint/suspicious/noExplicitAny: a stranger's JSON
type Json = any

const jsonValue = (value: Json): Value => {
  if (value === undefined || value === null) return undefined
  if (value.stringValue !== undefined) return String(value.stringValue)
  if (value.boolValue !== undefined) return Boolean(value.boolValue)
  if (value.intValue !== undefined) return Number(value.intValue)
  if (value.doubleValue !== undefined) return Number(value.doubleValue)
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(jsonValue)
  return undefined
}

const jsonAttributes = (list: Json): Attributes =>
  Object.fromEntries((list ?? []).map(({ key, value }: Json) => [key, jsonValue(value)]))

const jsonLeaves = (body: Uint8Array, [resources, scopes, items]: readonly [string, string, string]) => {
  const json: Json = JSON.parse(textOf(body))
  return (json[resources] ?? []).flatMap((ofResource: Json) => {
    const resource = jsonAttributes(ofResource.resource?.attributes)
    return (ofResource[scopes] ?? []).flatMap((ofScope: Json) =>
      (ofScope[items] ?? []).map((leaf: Json) => ({ leaf, resource }))
    )
  }) as ReadonlyArray<{ readonly leaf: Json; readonly resource: Attributes }>
}

const input = (text: unknown) => (typeof text === "string" && text !== "" ? text : undefined)

const json = {
  traces: (body: Uint8Array): ReadonlyArray<ReadSpan> =>
    jsonLeaves(body, ["resourceSpans", "scopeSpans", "spans"]).map(({ leaf, resource }) => ({
      traceId: leaf.traceId,
      spanId: leaf.spanId,
      parentId: input(leaf.parentSpanId),
      name: leaf.name,
      kind: leaf.kind,
      startNanos: BigInt(leaf.startTimeUnixNano),
      endNanos: BigInt(leaf.endTimeUnixNano),
      attributes: jsonAttributes(leaf.attributes),
      events: (leaf.events ?? []).map((event: Json) => ({
        name: event.name,
        atNanos: BigInt(event.timeUnixNano),
        attributes: jsonAttributes(event.attributes)
      })),
      status: { code: leaf.status?.code ?? 0, message: input(leaf.status?.message) },
      resource
    })),
  metrics: (body: Uint8Array): ReadonlyArray<ReadMetric> =>
    jsonLeaves(body, ["resourceMetrics", "scopeMetrics", "metrics"]).map(({ leaf, resource }) => ({
      name: leaf.name,
      points: (leaf.sum ?? leaf.gauge ?? leaf.histogram ?? { dataPoints: [] }).dataPoints.map((point: Json) => ({
        attributes: jsonAttributes(point.attributes),
        value: Number(point.asInt ?? point.asDouble ?? point.count)
      })),
      resource
    })),
  logs: (body: Uint8Array): ReadonlyArray<ReadLog> =>
    jsonLeaves(body, ["resourceLogs", "scopeLogs", "logRecords"]).map(({ leaf, resource }) => ({
      body: jsonValue(leaf.body),
      severity: leaf.severityText ?? "",
      attributes: jsonAttributes(leaf.attributes),
      traceId: input(leaf.traceId),
      spanId: input(leaf.spanId),
      resource
    }))
}

/** By the content type. */
export const readerFor = (contentType: string) => (contentType.includes("json") ? json : protobuf)

/** Spans as a tree, for people: each with its duration, attributes and events, in order of time. */
import type { Attributes, ReadSpan } from "./read.ts"

const visible = (attributes: Attributes) =>
  Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(" ")

const statuses = ["", "", " ✗"]

const byTime = (a: ReadSpan, b: ReadSpan) => (a.startNanos < b.startNanos ? -1 : a.startNanos > b.startNanos ? 1 : 0)

/** `isShown` leaves out spans, with all below them. Spans whose parent is missing are roots, marked with `?`. */
export const spanTree = (spans: ReadonlyArray<ReadSpan>, isShown: (span: ReadSpan) => boolean = () => true): string => {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const below = (id: string) => spans.filter(({ parentId }) => parentId === id).sort(byTime)
  const lines = (span: ReadSpan, indent: string, mark: string): ReadonlyArray<string> => {
    if (!isShown(span)) return []
    const ms = Number(span.endNanos - span.startNanos) / 1e6
    const message = span.status.message === undefined ? "" : ` (${span.status.message})`
    const head = `${indent}${mark}${span.name}${statuses[span.status.code] ?? ""}${message} ${ms.toFixed(1)} ms`
    const inner = `${indent}  `
    const attributes = visible(span.attributes)
    return [
      `${head}`,
      ...(attributes === "" ? [] : [`${inner}  ${attributes}`]),
      ...span.events.map(({ name, attributes }) => `${inner}· ${name} ${visible(attributes)}`.trimEnd()),
      ...below(span.spanId).flatMap((child) => lines(child, inner, ""))
    ]
  }
  const roots = spans.filter(({ parentId }) => parentId === undefined || !ids.has(parentId)).sort(byTime)
  return roots.flatMap((root) => lines(root, "", root.parentId === undefined ? "" : "? ")).join("\n")
}

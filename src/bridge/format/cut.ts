/** Text with marks → pieces that a channel takes. White space at a cut is dropped; in code its line feed alone. */
import { type CutPoint, cutPoint, type Heading, spanAt } from "./cutPoint.ts"
import { byOffset, type Entity, joined, plain, type RichText, trimmedEntity } from "./entities.ts"

// `(1/3)` below each of several pieces. How many digits that takes is known once the text is cut.

const markOf = (at: number | string, of: number | string) => `\n\n(${at}/${of})`

/** `run` cuts with room for the mark; `add` puts it below a piece. One piece gets none. */
export const withNumbers = <A>(
  run: (room: string) => ReadonlyArray<A>,
  add: (piece: A, mark: string) => A
): ReadonlyArray<A> => {
  const whole = run("")
  if (whole.length < 2) return whole
  for (let digits = String(whole.length).length; ; digits++) {
    const widest = "9".repeat(digits)
    const pieces = run(markOf(widest, widest))
    if (String(pieces.length).length > digits) continue
    return pieces.length < 2 ? pieces : pieces.map((piece, at) => add(piece, markOf(at + 1, pieces.length)))
  }
}

/** A limit in UTF-16 units, or what measures a piece as it is written; a part of what fits must fit. */
export type Limit = number | ((piece: RichText) => boolean)

export interface CutOptions {
  /** How many marks a piece may have. Default: 100. */
  readonly entities?: number
  /** Stands whole below the last piece; as a piece of its own, where it is longer than half of one. */
  readonly tail?: RichText | string
  /** `(1/3)` below each piece, where there are several. Default: false. */
  readonly numbered?: boolean
}

/** Parts of a text, for places that only go forwards. */
const makeSlices = ({ text, entities }: RichText) => {
  let begun: ReadonlyArray<Entity> = []
  let next = 0

  const goTo = (from: number) => {
    const passed: Array<Entity> = []
    for (let entity = entities[next]; entity !== undefined && entity.offset < from; entity = entities[next]) {
      passed.push(entity)
      next += 1
    }
    begun = [...begun, ...passed].filter((entity) => entity.offset + entity.length > from)
  }

  const slice = (from: number, to: number): RichText => {
    const part = text.slice(from, to)
    const clip = (entity: Entity) => {
      const offset = Math.max(0, entity.offset - from)
      const end = Math.min(part.length, entity.offset + entity.length - from)
      return trimmedEntity(part, { ...entity, offset, length: end - offset })
    }
    const found = begun.flatMap(clip)
    for (let at = next; ; at++) {
      const entity = entities[at]
      if (entity === undefined || entity.offset >= to) break
      found.push(...clip(entity))
    }
    return { text: part, entities: found.sort(byOffset) }
  }

  return { goTo, slice }
}

/** The largest number in [least, most] for which it holds; `least`, where it holds for none. */
const largest = (least: number, most: number, holds: (value: number) => boolean): number => {
  let low = least
  let step = 64
  while (low + step <= most && holds(low + step)) {
    low += step
    step *= 2
  }
  let high = Math.min(most + 1, low + step)
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}

const isBlank = (text: string) => text.trim() === ""

const gap = plain("\n\n")

/** Lines that are bold as a whole. */
const headingsOf = ({ text, entities }: RichText): ReadonlyArray<Heading> =>
  entities.flatMap(({ type, offset, length }) => {
    let end = offset + length
    const isLine = offset === 0 || text[offset - 1] === "\n"
    if (type !== "bold" || !isLine || text.slice(offset, end).includes("\n")) return []
    while (text[end] === "\n") end += 1
    return end > offset + length ? [{ start: offset, end }] : []
  })

const cutInto = (rich: RichText, fits: (piece: RichText) => boolean, tail: RichText | undefined) => {
  const { text } = rich
  const code = rich.entities.flatMap(({ type, offset, length }) =>
    type === "pre" ? [{ start: offset, end: offset + length, from: offset + 1, to: offset + length }] : []
  )
  const headings = headingsOf(rich)
  const { goTo, slice } = makeSlices(rich)
  const pieces: Array<RichText> = []
  const isCode = (at: number) => spanAt(code, at) !== undefined

  const add = (from: number, to: number) => {
    let end = to
    while (end > from && !isCode(end - 1) && /\s/.test(text[end - 1] ?? "")) end -= 1
    const piece = slice(from, end)
    if (!isBlank(piece.text)) pieces.push(piece)
  }

  const behind = ({ at, kind }: CutPoint): number => {
    if (kind === "hard") return at
    if (isCode(at)) return kind === "space" ? at : at + 1
    let next = at
    const dropped = kind === "space" ? /\s/ : /\n/
    while (next < text.length && !isCode(next) && dropped.test(text[next] ?? "")) next += 1
    return next
  }

  for (let from = 0; from < text.length; ) {
    goTo(from)
    const to = largest(from + 1, text.length, (end) => fits(slice(from, end)))
    const isRest = to === text.length
    const ended = isRest && tail !== undefined ? joined(slice(from, to), gap, tail) : undefined
    if (ended !== undefined && fits(ended)) return [...pieces, ended]
    const point = cutPoint(text, from, isRest ? to - 1 : to, code, headings)
    // For the tail's sake no line is cut.
    const isLast = isRest && (tail === undefined || point.kind === "hard" || point.kind === "space")
    add(from, isLast ? to : point.at)
    from = isLast ? to : behind(point)
  }
  return tail === undefined ? pieces : [...pieces, tail]
}

export const cut = (rich: RichText, limit: Limit, options: CutOptions = {}): ReadonlyArray<RichText> => {
  const most = Math.max(1, options.entities ?? 100)
  const isShort = typeof limit === "number" ? (piece: RichText) => piece.text.length <= limit : limit
  const fits = (piece: RichText) => piece.entities.length <= most && isShort(piece)
  const tail = typeof options.tail === "string" ? plain(options.tail) : (options.tail ?? plain(""))

  const run = (room: string): ReadonlyArray<RichText> => {
    const fitsMark = (piece: RichText) => fits(joined(piece, plain(room)))
    const placeholder = (text: string) => plain("x".repeat(text.length))
    const measure = fitsMark(placeholder(room)) ? fitsMark : fits
    if (isBlank(tail.text)) return cutInto(rich, measure, undefined)
    if (measure(joined(placeholder(tail.text), gap, tail))) return cutInto(rich, measure, tail)
    return [...cutInto(rich, measure, undefined), ...(fits(tail) ? [tail] : cutInto(tail, fits, undefined))]
  }

  const withMark = (piece: RichText, mark: string) => {
    const marked = joined(piece, plain(mark))
    return fits(marked) ? marked : piece
  }
  const bounded = (piece: RichText): RichText =>
    piece.entities.length <= most ? piece : { ...piece, entities: piece.entities.slice(0, most) }
  return (options.numbered === true ? withNumbers(run, withMark) : run("")).map(bounded)
}

/**
 * The messages of a conversation that wait, in order → what belongs together, and how long its last part is waited for;
 * pure. They are in the journal already: a restart collects them anew. What is ready is a beginning of the queue, so that
 * nobody is overtaken.
 */

import { namedIn } from "../commands/split.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { isScheduled } from "../messages/ownMessages.ts"
import { merged } from "./merged.ts"

/** As the journal has it. */
export interface Waiting {
  readonly updateId: string
  readonly message: ChannelMessage
  /** When it was taken in, in ms since 1970. */
  readonly at: number
}

export interface Collected<Row extends Waiting = Waiting> {
  readonly rows: readonly [Row, ...ReadonlyArray<Row>]
  /** All of them as one. */
  readonly message: ChannelMessage
}

export interface CollectOptions {
  /** What one message of the channel takes, in UTF-16 units. Default: 4,000. */
  readonly limit?: number | undefined
}

/** Between the parts of an album, forwards, and the halves of a text. */
const betweenMs = 1_000
/** A plain text: one that is forwarded with it comes right behind it. */
const plainMs = 200
/** However many come. */
const longestMs = 10_000
/** Of parts that make one message. */
const mostParts = 50
const mostCharacters = 400_000

/** A text so near to the limit is probably half of one. */
const isCut = ({ text }: ChannelMessage, limit: number) => text.length >= limit * 0.85

const waitOf = (message: ChannelMessage, limit: number): number => {
  const mayHaveMore =
    message.group !== undefined || message.forwarded === true || message.attachments.length > 0 || isCut(message, limit)
  return mayHaveMore ? betweenMs : plainMs
}

interface Open<Row> {
  readonly rows: [Row, ...Array<Row>]
  characters: number
}

const belongs = <Row extends Waiting>({ rows, characters }: Open<Row>, row: Row, isLast: boolean): boolean => {
  const last = rows.at(-1) ?? rows[0]
  const { message, at } = row
  if (last.message.sender.id !== message.sender.id) return false
  if (rows.length >= mostParts || characters + message.text.length > mostCharacters) return false
  if (rows[0].message.group !== undefined && rows[0].message.group === message.group) return true
  // A run of a schedule has a budget of its own.
  if (!isLast || isScheduled(message) || isScheduled(rows[0].message)) return false
  if (namedIn(message.text) !== undefined || namedIn(rows[0].message.text) !== undefined) return false
  // A reply is about the message that it names.
  if (message.replyTo !== undefined && message.replyTo.messageId !== last.message.replyTo?.messageId) return false
  return Math.abs(at - last.at) <= betweenMs && Math.abs(at - rows[0].at) <= longestMs
}

/** What belongs together, in the order of the first of each. */
export const groupsOf = <Row extends Waiting>(
  rows: ReadonlyArray<Row>
): ReadonlyArray<readonly [Row, ...ReadonlyArray<Row>]> => {
  const groups: Array<Open<Row>> = []
  for (const row of rows) {
    // The parts of an album may have others' messages between them.
    const album = row.message.group === undefined ? undefined : groups.find((group) => belongs(group, row, false))
    const last = groups.at(-1)
    const group = album ?? (last !== undefined && belongs(last, row, true) ? last : undefined)
    if (group === undefined) groups.push({ rows: [row], characters: row.message.text.length })
    group?.rows.push(row)
    if (group !== undefined) group.characters += row.message.text.length
  }
  return groups.map((group) => group.rows)
}

/** When nothing more of it is waited for. */
const readyAt = <Row extends Waiting>(
  rows: readonly [Row, ...ReadonlyArray<Row>],
  now: number,
  limit: number
): number => {
  const last = rows.at(-1) ?? rows[0]
  // A clock that was set back is no reason to wait.
  if (last.at > now || rows[0].at > now) return now
  if (rows.length >= mostParts) return now
  const wait = rows.length > 1 ? betweenMs : waitOf(last.message, limit)
  return Math.min(last.at + wait, rows[0].at + longestMs)
}

/** `waitUntil`: when the rest is to be looked at again, unless something comes before. Absent: nothing else waits. */
export const collect = <Row extends Waiting>(
  rows: ReadonlyArray<Row>,
  now: number,
  { limit = 4_000 }: CollectOptions = {}
): { readonly ready: ReadonlyArray<Collected<Row>>; readonly waitUntil?: number } => {
  const ready: Array<Collected<Row>> = []
  const groups = groupsOf(rows)
  for (const [index, group] of groups.entries()) {
    const at = readyAt(group, now, limit)
    const hasMoreBehind = groups
      .slice(index + 1)
      .some(([next]) => next.message.sender.id === group[0].message.sender.id)
    // What its sender wrote afterwards shows that it is whole.
    if (at > now && !hasMoreBehind) return { ready, waitUntil: at }
    const [first, ...others] = group
    ready.push({
      rows: group,
      message: merged([first.message, ...others.map(({ message }) => message)], limit)
    })
  }
  return { ready }
}

/** In one conversation. */
export const mostWaiting = 20

/** Whether one more message is too many; a further part of what waits is not. */
export const isFull = (waiting: ReadonlyArray<Waiting>, next: Waiting): boolean =>
  groupsOf([...waiting, next]).length > mostWaiting

/** The prompts and events of a session from the CLI's own files or database. Unreadable lines are left out. */
import { open } from "node:fs/promises"
import { makeParagraphs } from "../../contract/paragraphs.ts"
import { type Line, makeLineSplitter } from "../../system/process/lines.ts"
import { readFlags } from "../../system/process/regularFile.ts"
import { parsed } from "../jsonFields.ts"
import type { StoredFiles, StoredItem } from "../Stored.ts"
import { findIn, type OpenStore, openStore, type StoreOf } from "./find.ts"
import { rowsOf } from "./rows.ts"
import type { FoundFile } from "./walk.ts"

const maxLineBytes = 64 * 1024 * 1024
/** Forks of forks. */
const mostBases = 16

/** A stretch of a file, from its beginning. */
interface Part {
  readonly file: FoundFile
  readonly endByte: number
}

const jsonOf = (lines: ReadonlyArray<Line>): ReadonlyArray<unknown> =>
  lines.flatMap((line) => (line._tag === "Line" && line.text !== "" ? (parsed(line.text) ?? []) : []))

/** The lines of a stretch, parsed, some at a time. */
async function* linesOf({ file, endByte }: Part, signal: AbortSignal): AsyncGenerator<ReadonlyArray<unknown>> {
  if (endByte <= 0) return
  await using handle = await open(file.path, readFlags.notFollowing)
  if (!(await handle.stat()).isFile()) return
  const splitter = makeLineSplitter(maxLineBytes)
  const bytes: AsyncIterable<Uint8Array> = handle.createReadStream({ end: endByte - 1, autoClose: false, signal })
  for await (const chunk of bytes) yield jsonOf(splitter.push(chunk))
  yield jsonOf(splitter.end())
}

const firstLine = async (part: Part, signal: AbortSignal): Promise<unknown> => {
  for await (const [first] of linesOf(part, signal)) if (first !== undefined) return first
  return undefined
}

/** The files of a session, with those of the sessions from which it was forked before them. */
const partsOf = async (
  store: OpenStore,
  stored: StoredFiles,
  files: ReadonlyArray<FoundFile>,
  bases = mostBases
): Promise<ReadonlyArray<Part>> => {
  const own = files.map((file) => ({ file, endByte: file.size }))
  const [first] = own
  const base = first && bases > 0 ? stored.baseOf?.(await firstLine(first, store.walk.signal)) : undefined
  const parent = base && (await findIn(store, base.sessionId, true))
  if (base === undefined || parent === undefined) return own
  const before = await partsOf(store, stored, parent.files, bases - 1)
  const cut = before.map((part, index) => (index === before.length - 1 ? { ...part, endByte: base.endByte } : part))
  return [...cut, ...own]
}

/** Undefined if the CLI has no such session. The items come some at a time, as they are read. */
export const storedItems = async (
  of: StoreOf,
  sessionId: string,
  signal: AbortSignal
): Promise<AsyncIterable<ReadonlyArray<StoredItem>> | undefined> => {
  const store = await openStore(of, signal)
  const found = store && (await findIn(store, sessionId, true))
  if (store === undefined || found === undefined) return undefined
  const { files, database } = store.stored
  if (files !== undefined) return inParagraphs(itemsOfFiles(store, files, sessionId, found.files))
  const rows = database && (await rowsOf(store.walk, database, sessionId))
  return inParagraphs(one(rows === undefined ? [] : (database?.items?.read(rows) ?? [])))
}

/** Separates the texts of a turn, as in a run: each is whole. */
async function* inParagraphs(
  items: AsyncIterable<ReadonlyArray<StoredItem>>
): AsyncGenerator<ReadonlyArray<StoredItem>> {
  let separated = makeParagraphs()
  for await (const some of items) {
    yield some.flatMap((item) => {
      if (!("event" in item)) {
        separated = makeParagraphs()
        return item
      }
      const event = separated(item.event, true)
      return event === undefined ? [] : { ...item, event }
    })
  }
}

async function* one<A>(value: A): AsyncGenerator<A> {
  yield value
}

async function* itemsOfFiles(
  store: OpenStore,
  files: StoredFiles,
  sessionId: string,
  found: ReadonlyArray<FoundFile>
): AsyncGenerator<ReadonlyArray<StoredItem>> {
  const reader = files.reader(sessionId)
  for (const part of await partsOf(store, files, found)) {
    for await (const lines of linesOf(part, store.walk.signal)) yield lines.flatMap(reader.line)
  }
  yield reader.end()
}

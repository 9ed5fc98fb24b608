/**
 * A host that dies in a move: before each of its transactions, and after each. Whatever was done by then, its next start goes
 * on, and at no time two homes have the session.
 */
import { linkSync, renameSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { placeFiles, takeBack } from "../../../src/cluster/move/placeFiles.ts"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { addSession } from "../../conversations/kit/rows.ts"
import { hasPostgres } from "../../kit/postgres.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import {
  addClaude,
  askMove,
  blobsOf,
  claudeFile,
  filesOf,
  type Home,
  moveId,
  moveOf,
  openHomes,
  perform,
  sessionOf,
  textOf
} from "./homes.ts"
import { claudeId, write } from "./kit.ts"

class Death extends Error {}

/** Dies at one of its transactions: before it, or after it and before any notification. */
const dyingAt = (store: OpenStore, nth: number, when: "before" | "after") => {
  let count = 0
  let isDead = false
  const die = Effect.suspend(() => {
    isDead = true
    return Effect.die(new Death())
  })
  const dying: OpenStore = {
    ...store,
    // A part of another is not one of its own.
    transact: (work) =>
      Effect.flatMap(Effect.serviceOption(store.sql.transactionService), (outer) => {
        if (outer._tag === "Some") return store.transact(work)
        if (isDead) return die
        count += 1
        if (count !== nth) return store.transact(work)
        return when === "before" ? die : Effect.andThen(store.transact(work), die)
      })
  }
  return { dying, isDead: () => isDead }
}

type Homes = Effect.Success<typeof openHomes>

/** Who has it can go on with it, whole; the other home has no row. */
const checkOneHome = Effect.fnUntraced(function* ({ from, to, work }: Homes, text: string) {
  const home = (yield* sessionOf(from))?.home
  const { state } = (yield* moveOf(from)) ?? {}
  const expected = {
    asked: from.store.home,
    packed: `on its way to ${to.store.home}`,
    done: to.store.home,
    failed: from.store.home
  }
  assert.strictEqual(home, state && expected[state])
  if (home === to.store.home) assert.strictEqual(textOf(claudeFile(to, work)), text)
  assert.strictEqual(textOf(claudeFile(from, work)), text)
})

const rounds = 12

/** Each home in turn, at each transaction, until no transaction is left to die at. */
const dieEverywhere = (
  prepare: (homes: Homes) => Effect.Effect<void, unknown>,
  check: (homes: Homes) => Effect.Effect<void, unknown>
) =>
  Effect.gen(function* () {
    const known = { from: 0, to: 0 }
    for (const side of ["from", "to"] as const) {
      for (const when of ["before", "after"] as const) {
        for (let nth = 1; nth <= rounds; nth++) {
          const isCut = yield* Effect.scoped(
            Effect.gen(function* () {
              const homes = yield* openHomes
              const { from, to, work } = homes
              const text = textOf(yield* addClaude(from, work, "one")) ?? ""
              yield* prepare(homes)
              yield* askMove(from, to, work)
              const first: Home = homes[side]
              const { dying, isDead } = dyingAt(first.store, nth, when)
              if (side === "to") yield* perform(from)
              yield* Effect.exit(perform(first, dying))
              yield* checkOneHome(homes, text)
              for (const home of [from, to, to]) yield* perform(home)
              yield* checkOneHome(homes, text)
              yield* check(homes)
              assert.strictEqual(yield* blobsOf(from), 0)
              assert.isFalse(filesOf(to).some((name) => name.includes(".reins-")))
              return isDead()
            })
          )
          if (!isCut) break
          known[side] += 1
          assert.isBelow(nth, rounds, "there are more transactions than are tried")
        }
      }
    }
    return known
  })

describe.skipIf(!hasPostgres)("a host that dies", () => {
  it.live(
    "goes on at its next start",
    () =>
      Effect.gen(function* () {
        const known = yield* dieEverywhere(
          () => Effect.void,
          ({ from }) => Effect.map(moveOf(from), (move) => assert.strictEqual(move?.state, "done"))
        )
        assert.isAtLeast(known.from, 6)
        assert.isAtLeast(known.to, 6)
      }),
    120_000
  )

  it.live(
    "leaves nothing at the other home where the move fails in the end",
    () =>
      Effect.gen(function* () {
        const known = yield* dieEverywhere(
          ({ to }) => addSession(to.store, { key: "key-2", session_id: claudeId }),
          ({ from, to, work }) =>
            Effect.map(moveOf(from), (move) => {
              assert.strictEqual(move?.state, "failed")
              assert.isUndefined(textOf(claudeFile(to, work)))
            })
        )
        assert.isAtLeast(known.to, 4)
      }),
    120_000
  )
})

describe("files that a dead host has placed in part", () => {
  const file = (path: string, text: string) => ({ path, role: "own" as const, bytes: Buffer.from(text) })
  const files = [file("a/one", "one, and more"), file("a/b/two", "two")]
  const sizes = files.map(({ path, bytes }) => ({ path, size: bytes.length }))
  const mark = (root: string, path: string, end: "new" | "before") =>
    join(root, dirname(path), `.reins-${moveId}-${basename(path)}.${end}`)

  /** Files at its death: the first file alone, a mark cut short, an old file that is about to be replaced. */
  const deaths: ReadonlyArray<readonly [string, string | undefined, (root: string) => void | Promise<void>]> = [
    ["nothing", undefined, () => undefined],
    ["the first file", undefined, (root) => placeFiles(root, moveId, files.slice(0, 1))],
    ["all files", undefined, (root) => placeFiles(root, moveId, files)],
    ["a mark that was cut short", undefined, (root) => write(mark(root, "a/one", "new"), "on")],
    ["the whole mark", undefined, (root) => write(mark(root, "a/one", "new"), "one, and more")],
    ["an earlier state", "one", () => undefined],
    [
      "an earlier state with a second name",
      "one",
      (root) => {
        write(mark(root, "a/one", "new"), "one, and more")
        linkSync(join(root, "a/one"), mark(root, "a/one", "before"))
      }
    ],
    [
      "an earlier state that was replaced",
      "one",
      (root) => {
        write(mark(root, "a/one", "new"), "one, and more")
        linkSync(join(root, "a/one"), mark(root, "a/one", "before"))
        renameSync(mark(root, "a/one", "new"), join(root, "a/one"))
      }
    ]
  ]

  const namesIn = (folder: string) => filesOf({ folder } as Home, "root").filter((name) => !name.endsWith("/"))

  it.live.each(deaths)("%s: are placed, or taken back", ([, earlier, die]) =>
    Effect.gen(function* () {
      for (const end of ["placed", "taken back"] as const) {
        const folder = yield* makeDirectory
        const root = join(folder, "root")
        write(join(root, "a/other"), "other")
        if (earlier !== undefined) write(join(root, "a/one"), earlier)
        yield* Effect.promise(async () => die(root))
        if (end === "placed") {
          yield* Effect.promise(() => placeFiles(root, moveId, files))
          assert.deepStrictEqual(
            files.map(({ path }) => textOf(join(root, path))),
            ["one, and more", "two"]
          )
        }
        yield* Effect.promise(() => takeBack(root, moveId, sizes))
        assert.strictEqual(textOf(join(root, "a/one")), earlier)
        assert.isUndefined(textOf(join(root, "a/b/two")))
        assert.lengthOf(namesIn(folder), earlier === undefined ? 1 : 2)
      }
    }).pipe(Effect.scoped)
  )

  it.live("that were continued are not taken back", () =>
    Effect.gen(function* () {
      const folder = yield* makeDirectory
      yield* Effect.promise(() => placeFiles(folder, moveId, files))
      writeFileSync(join(folder, "a/one"), "one, and more, and more")
      yield* Effect.promise(() => takeBack(folder, moveId, sizes))
      assert.strictEqual(textOf(join(folder, "a/one")), "one, and more, and more")
      assert.isUndefined(textOf(join(folder, "a/b/two")))
    }).pipe(Effect.scoped)
  )
})

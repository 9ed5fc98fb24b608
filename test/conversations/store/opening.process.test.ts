// A store in a file: where it is refused, what is moved aside, and what is left as it is.

import { execFileSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { newestSchema } from "../../../src/conversations/store/migrations.ts"
import { mountTypeOf, NetworkFileSystem, networkNameOf } from "../../../src/conversations/store/networkFileSystem.ts"
import type { FileStoreOptions } from "../../../src/conversations/store/OpenStore.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const isRoot = process.getuid?.() === 0

/** The warnings of a store that was opened and closed. */
const opening = (options: FileStoreOptions) =>
  Effect.provide(
    Effect.gen(function* () {
      const { warnings, read, sql } = yield* Store
      const [row] = yield* read(sql<{ sessions: number }>`select count(*) as sessions from sessions`)
      return { warnings, sessions: row?.sessions }
    }),
    Store.layerFile(options)
  )

const refusalOf = (options: FileStoreOptions) =>
  Effect.map(Effect.flip(opening(options)), ({ reason, message, help }) => ({ tag: reason._tag, message, help }))

const modeOf = (file: string) => statSync(file).mode & 0o777

/** A store that was used and closed. */
const makeStore = Effect.gen(function* () {
  const directory = join(yield* makeDirectory, "store")
  yield* opening({ directory })
  return { directory, file: join(directory, "store.db") }
})

const asideIn = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.includes("corrupt"))
    .sort()

describe("a store in a file", () => {
  it.effect("is for its owner only, and so are the files beside it", () =>
    Effect.gen(function* () {
      const directory = join(yield* makeDirectory, "a", "store")
      yield* Effect.provide(
        Effect.sync(() => {
          assert.strictEqual(modeOf(directory), 0o700)
          assert.deepStrictEqual(
            readdirSync(directory)
              .filter((name) => name.startsWith("store.db"))
              .sort(),
            ["store.db", "store.db-shm", "store.db-wal"]
          )
          for (const name of readdirSync(directory)) assert.strictEqual(modeOf(join(directory, name)), 0o600, name)
        }),
        Store.layerFile({ directory })
      )
      chmodSync(directory, 0o755)
      chmodSync(join(directory, "store.db"), 0o666)
      yield* opening({ directory })
      assert.strictEqual(modeOf(directory), 0o700)
      assert.strictEqual(modeOf(join(directory, "store.db")), 0o600)
    })
  )

  const places: ReadonlyArray<
    readonly [name: string, problem: RegExp, make: (directory: string) => void, root?: boolean]
  > = [
    [
      "a file instead of the directory",
      /store" ?is not a directory|store is not a directory|EEXIST|ENOTDIR/,
      (directory) => writeFileSync(directory, "")
    ],
    [
      "a link instead of the directory",
      /is a symbolic link/,
      (directory) => {
        mkdirSync(`${directory}2`)
        symlinkSync(`${directory}2`, directory)
      }
    ],
    [
      "a directory that others can write",
      /can be written by others/,
      (directory) => {
        mkdirSync(directory)
        chmodSync(directory, 0o777)
      }
    ],
    [
      "a directory of another user",
      /belongs to the user 65534/,
      (directory) => {
        mkdirSync(directory, { mode: 0o700 })
        chownSync(directory, 65534, 65534)
      },
      true
    ],
    [
      "a file of another user",
      /belongs to the user 65534/,
      (directory) => {
        mkdirSync(directory, { mode: 0o700 })
        writeFileSync(join(directory, "store.db"), "")
        chownSync(join(directory, "store.db"), 65534, 65534)
      },
      true
    ],
    [
      "a directory instead of the file",
      /is not a file/,
      (directory) => mkdirSync(join(directory, "store.db"), { recursive: true, mode: 0o700 })
    ],
    [
      "a pipe instead of the file",
      /is not a file/,
      (directory) => {
        mkdirSync(directory, { mode: 0o700 })
        execFileSync("mkfifo", [join(directory, "store.db")])
      }
    ],
    [
      "a pipe beside the file",
      /-wal is not a file/,
      (directory) => {
        mkdirSync(directory, { mode: 0o700 })
        execFileSync("mkfifo", [join(directory, "store.db-wal")])
      }
    ],
    [
      "a link instead of the file",
      /is a symbolic link/,
      (directory) => {
        mkdirSync(directory, { mode: 0o700 })
        writeFileSync(`${directory}2`, "")
        symlinkSync(`${directory}2`, join(directory, "store.db"))
      }
    ],
    [
      "a link to nothing",
      /is a symbolic link/,
      (directory) => {
        mkdirSync(directory, { mode: 0o700 })
        symlinkSync(`${directory}2`, join(directory, "store.db"))
      }
    ],
    [
      "a link beside the file",
      /-shm is a symbolic link/,
      (directory) => {
        mkdirSync(directory, { mode: 0o700 })
        symlinkSync(`${directory}2`, join(directory, "store.db-shm"))
      }
    ],
    [
      "a file with another name",
      /hard link/,
      (directory) => {
        mkdirSync(directory, { mode: 0o700 })
        writeFileSync(`${directory}2`, "", { mode: 0o600 })
        linkSync(`${directory}2`, join(directory, "store.db"))
      }
    ],
    [
      "the database of another program",
      /is the database of another program/,
      (directory) => {
        mkdirSync(directory, { mode: 0o700 })
        const other = new DatabaseSync(join(directory, "store.db"))
        other.exec("create table mine (a)")
        other.close()
      }
    ]
  ]

  describe("is refused in", () => {
    for (const [name, problem, make, root = false] of places) {
      it.effect.skipIf(root && !isRoot)(name, () =>
        Effect.gen(function* () {
          const directory = join(yield* makeDirectory, "store")
          make(directory)
          const { tag, message, help } = yield* refusalOf({ directory })
          assert.strictEqual(tag, "StoreRefused")
          assert.match(message, problem)
          assert.include(message, directory)
          assert.match(help, /director|file/)
          assert.isFalse(existsSync(`${directory}2/store.db`))
        })
      )
    }
  })

  it.effect("does not touch the database of another program", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const file = join(directory, "store.db")
      const other = new DatabaseSync(file)
      other.exec("create table sessions (mine); insert into sessions values (7)")
      other.close()
      const before = readFileSync(file)
      yield* refusalOf({ directory })
      assert.isTrue(before.equals(readFileSync(file)))
      assert.deepStrictEqual(readdirSync(directory), ["store.db"])
    })
  )

  it.effect("is refused on a network file system, unless it is allowed", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const onNfs = Effect.provideService(NetworkFileSystem, () => "NFS")
      const { tag, message, help } = yield* onNfs(refusalOf({ directory }))
      assert.strictEqual(tag, "StoreRefused")
      assert.include(message, "(NFS)")
      assert.include(help, "allowNetworkFileSystem")
      assert.deepStrictEqual(readdirSync(directory), [])
      assert.deepStrictEqual(yield* onNfs(opening({ directory, allowNetworkFileSystem: true })), {
        warnings: [],
        sessions: 0
      })
    })
  )

  it("knows the file systems of networks", () => {
    const mounts = [
      "25 1 8:1 / / rw - ext4 /dev/sda1 rw",
      "30 25 0:40 / /home/a\\040b rw - fuse.sshfs host:/ rw",
      "31 25 0:41 / /home/a rw shared:3 - fuse.gocryptfs x rw"
    ].join("\n")
    const typeOf = (path: string) => mountTypeOf(mounts, path)
    assert.deepStrictEqual(["/home/a b/c", "/home/a/b", "/home/ab", "/x"].map(typeOf), [
      "fuse.sshfs",
      "fuse.gocryptfs",
      "ext4",
      "ext4"
    ])
    const nameOf = (number: number, type?: string) => networkNameOf(number, () => type)
    assert.deepStrictEqual(
      [
        nameOf(0x6969),
        nameOf(0xef53),
        nameOf(0x65735546, "fuse.sshfs"),
        nameOf(0x65735546, "fuse.gocryptfs"),
        nameOf(0x65735546)
      ],
      ["NFS", undefined, "fuse.sshfs", undefined, undefined]
    )
  })

  it.effect.each<FileStoreOptions>([
    { directory: "" },
    { directory: 7 as unknown as string },
    { keep: { transcripts: -1 } },
    { keep: { sessions: "soon" as "1 day" } },
    { path: "/tmp" } as FileStoreOptions
  ])("refuses wrong options by name: %o", (options) =>
    Effect.gen(function* () {
      const { tag, message } = yield* refusalOf(options)
      assert.strictEqual(tag, "InvalidParams")
      assert.match(message, /^(?:directory|keep\.transcripts|keep\.sessions|path): /)
    })
  )

  const damages: ReadonlyArray<readonly [string, (file: string) => void]> = [
    ["text", (file) => writeFileSync(file, "not a database\n".repeat(1_000))],
    ["a few bytes", (file) => writeFileSync(file, "some bytes of another program")],
    ["half of itself", (file) => truncateSync(file, 5_000)],
    ["its header alone", (file) => writeFileSync(file, readFileSync(file).fill(0xff, 100))]
  ]

  describe("is moved aside, and begun anew, when its file is", () => {
    it.effect.each(damages)("%s", ([_, damage]) =>
      Effect.gen(function* () {
        const { directory, file } = yield* makeStore
        damage(file)
        const damaged = readFileSync(file)
        const { warnings, sessions } = yield* opening({ directory })
        assert.strictEqual(sessions, 0)
        const [aside = "", ...others] = asideIn(directory)
        assert.deepStrictEqual(others, [])
        assert.isTrue(damaged.equals(readFileSync(join(directory, aside))))
        assert.strictEqual(warnings.length, 1)
        assert.include(warnings[0], aside)
        assert.deepStrictEqual((yield* opening({ directory })).warnings, [])
      })
    )
  })

  it.effect("of a newer version is left as it is", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* makeStore
      const newer = new DatabaseSync(file)
      newer.exec("insert into reins_migrations (migration_id, name) values (999, 'later')")
      newer.close()
      const before = readFileSync(file)
      const { tag, message, help } = yield* refusalOf({ directory })
      assert.strictEqual(tag, "StoreTooNew")
      assert.strictEqual(
        message,
        `The store ${file} was written by a newer version of Reins: its schema is 999, and this version knows ${newestSchema}`
      )
      assert.strictEqual(help, "Update Reins, or use another directory for the store.")
      assert.isTrue(before.equals(readFileSync(file)))
    })
  )

  it.effect("that stays locked is unavailable after ten seconds; one that is used by others is not", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* makeStore
      const other = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(file)),
        (database) => Effect.sync(() => database.close())
      )
      other.exec("begin immediate")
      assert.deepStrictEqual((yield* opening({ directory })).sessions, 0)
      other.exec("rollback; pragma locking_mode = exclusive; begin exclusive")
      const waiting = yield* Effect.forkChild(refusalOf({ directory }))
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      const { tag, message } = yield* Fiber.join(waiting)
      assert.strictEqual(tag, "StoreUnavailable")
      assert.include(message, "another process keeps it locked, for 10 s")
    })
  )

  it.effect("that is removed while it is open takes nothing more, instead of losing it", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* makeStore
      yield* Effect.provide(
        Effect.gen(function* () {
          const { transact, read, sql } = yield* Store
          execFileSync("rm", [file])
          const write = sql`insert into blobs ${sql.insert({ hash: "a", bytes: new Uint8Array(1), created: 1 })}`
          for (const work of [transact(write), read(sql`select 1`)]) {
            assert.include((yield* Effect.flip(work)).message, "removed or replaced")
          }
        }),
        Store.layerFile({ directory })
      )
    })
  )
})

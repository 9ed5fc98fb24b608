/** A file leaves the working directory as it was when the tool was called, and no other file does. */
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { removeCopy, sweepCopies, takeCopy } from "../../../src/bridge/gateway/copies.ts"
import { deniedBy, deniedNames, openInside } from "../../../src/bridge/gateway/insideFile.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { type Bench, callOf, piecesOf, withBench } from "./gatewayOf.ts"

const copiesIn = ({ outlet }: Bench) => readdirSync(outlet.copies)

const sendFile = (bench: Bench, path: string, more: object = {}) => callOf(bench, "send_file", { path, ...more })

describe("send_file", () => {
  it.effect("queues a private copy: what is written into the file afterwards changes nothing", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const path = join(bench.directory, "Bericht Ä.txt")
        writeFileSync(path, "then", { mode: 0o644 })
        const { id, status } = yield* sendFile(bench, "Bericht Ä.txt", { caption: "look" })
        assert.strictEqual(status, "queued")
        writeFileSync(path, "now")
        rmSync(path)
        symlinkSync("/etc/passwd", path)
        const [row] = yield* piecesOf(bench, [id])
        const file = row?.piece.file ?? ""
        assert.strictEqual(file, join(bench.outlet.copies, String(id), "Bericht Ä.txt"))
        assert.strictEqual(readFileSync(file, "utf8"), "then")
        assert.deepStrictEqual([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777], [0o600, 0o700])
        const [sent] = yield* bench.journal.sends.ofTurn("t1")
        assert.deepInclude(sent, { text: "look", mediaUrls: [path], state: "queued" })
        assert.strictEqual(sent?.target.tool, "send_file")
        yield* removeCopy(bench.outlet.copies, file)
        assert.deepStrictEqual(copiesIn(bench), [])
      })
    )
  )

  it.effect("is one send where the model repeats it, and another where the file has another content", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const path = join(bench.directory, "plot.png")
        writeFileSync(path, "one")
        const first = yield* sendFile(bench, "plot.png")
        const again = yield* sendFile(bench, path)
        writeFileSync(path, "two")
        const other = yield* sendFile(bench, "./x/../plot.png")
        assert.strictEqual(first["id"], again["id"])
        assert.notStrictEqual(first["id"], other["id"])
        assert.sameMembers(copiesIn(bench), [String(first["id"]), String(other["id"])])
        const contents = (yield* piecesOf(bench, [first["id"], other["id"]])).map(({ piece: { file = "" } }) =>
          readFileSync(file, "utf8")
        )
        assert.deepStrictEqual(contents, ["one", "two"])
      })
    )
  )

  const outside = "is outside of the working directory"
  const link = "leads through a symbolic link"
  const attacks: ReadonlyArray<readonly [path: string, problem: string]> = [
    ["", "is not a path"],
    ["a\u0000.txt", "is not a path"],
    ["a".repeat(5000), "is not a path"],
    ["..", outside],
    ["sub/../../outside.txt", outside],
    ["..", outside],
    ["/etc/passwd", outside],
    ["/proc/self/environ", outside],
    ["~/.bashrc", "does not exist"],
    ["file:///etc/passwd", "does not exist"],
    [".", "is a directory"],
    ["sub", "is a directory"],
    ["nothing.txt", "does not exist"],
    ["sub/file.txt/x", "does not exist"],
    ["to-file.txt", `${link} out of the working directory`],
    ["to-directory/passwd", `${link} out of the working directory`],
    ["to-inside.txt", `${link}: send "sub/file.txt" instead`],
    ["dangling.txt", "does not exist, or is a link to nothing"],
    ["loop.txt", "is a symbolic link"],
    ["fifo", "is a named pipe (FIFO)"],
    ["socket", "is a socket"],
    ["empty.txt", "is empty"],
    ["huge.bin", "has 5000000.0 MB; this chat takes 1.0 MB at most"],
    [".env", "files named .env* may hold secrets"],
    [".ENV.local", "files named .env* may hold secrets"],
    ["sub/server.pem", "files named *.pem may hold secrets"],
    ["id_ed25519", "files named id_* may hold secrets"],
    [".git/config", "files named .git may hold secrets"],
    ["sub/../.git/config", "files named .git may hold secrets"],
    ["__proto__", "does not exist"],
    ["\u202egnp.exe", "does not exist"],
    ["\ud800.txt", "does not exist"]
  ]

  it.live.each(attacks)("does not send %j", ([path, problem]) =>
    withBench((bench) =>
      Effect.gen(function* () {
        const at = (name: string) => join(bench.directory, name)
        for (const name of ["sub", ".git"]) mkdirSync(at(name))
        for (const name of ["sub/file.txt", "sub/server.pem", ".git/config", ".env", ".ENV.local", "id_ed25519"])
          writeFileSync(at(name), "secret")
        symlinkSync("/etc/passwd", at("to-file.txt"))
        symlinkSync("/etc", at("to-directory"))
        symlinkSync("sub/file.txt", at("to-inside.txt"))
        symlinkSync("not/there", at("dangling.txt"))
        symlinkSync("loop.txt", at("loop.txt"))
        execFileSync("mkfifo", [at("fifo")])
        writeFileSync(at("empty.txt"), "")
        writeFileSync(at("huge.bin"), "")
        truncateSync(at("huge.bin"), 5e12)
        yield* Effect.acquireRelease(
          Effect.callback<ReturnType<typeof createServer>>((resume) => {
            const server = createServer().listen(at("socket"), () => resume(Effect.succeed(server)))
          }),
          (server) => Effect.sync(() => server.close())
        )
        const content = yield* Effect.flip(sendFile(bench, path))
        assert.include(content, problem)
        assert.notInclude(content, bench.directory)
        assert.match(content, /^[^\p{Cc}\p{Cs}\u202e]*$/u)
        assert.deepStrictEqual(copiesIn(bench), [])
        assert.deepStrictEqual(yield* bench.journal.sends.ofTurn("t1"), [])
      })
    )
  )

  it.effect("takes the directory by either of its names", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const aside = yield* makeDirectory
        symlinkSync(bench.directory, join(aside, "work"))
        writeFileSync(join(bench.directory, "a.txt"), "a")
        const gateway = { ...bench.gateway, directory: Effect.succeed(join(aside, "work")) }
        for (const path of ["a.txt", join(aside, "work/a.txt"), join(bench.directory, "a.txt")]) {
          assert.strictEqual((yield* callOf({ gateway }, "send_file", { path }))["status"], "queued")
        }
      })
    )
  )

  it.effect("leaves no copy of a file that the chat does not take, or of the 21st message", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        writeFileSync(join(bench.directory, "a.txt"), "a")
        const render = () => [{ text: "", body: {} }]
        const gateway = { ...bench.gateway, outlet: { ...bench.outlet, render } }
        assert.match(yield* Effect.flip(callOf({ gateway }, "send_file", { path: "a.txt" })), /takes no files/)
        const limits = { ...bench.outlet.limits, uploadBytes: 0 }
        const none = { ...bench.gateway, outlet: { ...bench.outlet, limits } }
        assert.match(yield* Effect.flip(callOf({ gateway: none }, "send_file", { path: "a.txt" })), /takes no files/)
        for (let nth = 0; nth < 20; nth++) yield* callOf(bench, "send_message", { text: `${nth}` })
        assert.match(yield* Effect.flip(sendFile(bench, "a.txt")), /was not sent/)
        assert.deepStrictEqual(copiesIn(bench), [])
      })
    )
  )
})

describe("a file that is swapped", () => {
  it.live("between look and copy is the one that was looked at", () =>
    Effect.gen(function* () {
      const [directory, copies] = [yield* makeDirectory, yield* makeDirectory]
      writeFileSync(join(directory, "a.txt"), "looked at")
      const file = yield* openInside(directory, "a.txt", 100)
      renameSync(join(directory, "a.txt"), join(directory, "b.txt"))
      symlinkSync("/etc/passwd", join(directory, "a.txt"))
      const sendId = crypto.randomUUID()
      const { path } = yield* takeCopy(copies, sendId, file, 100)
      assert.strictEqual(readFileSync(path, "utf8"), "looked at")
    }).pipe(Effect.scoped)
  )

  it.live("or grows beyond the limit meanwhile is not sent, and leaves nothing", () =>
    Effect.gen(function* () {
      const [directory, copies] = [yield* makeDirectory, yield* makeDirectory]
      writeFileSync(join(directory, "a.txt"), "small")
      const file = yield* openInside(directory, "a.txt", 100)
      appendFileSync(join(directory, "a.txt"), "x".repeat(1000))
      const { problem } = yield* Effect.flip(takeCopy(copies, crypto.randomUUID(), file, 100))
      assert.match(problem, /grows/)
      assert.deepStrictEqual(readdirSync(copies), [])
    }).pipe(Effect.scoped)
  )

  it.live("never leads out, however a directory and a link to a secret take turns", () =>
    Effect.gen(function* () {
      const [directory, aside] = [yield* makeDirectory, yield* makeDirectory]
      writeFileSync(join(aside, "a.txt"), "secret")
      mkdirSync(join(directory, "real"))
      writeFileSync(join(directory, "real/a.txt"), "public")
      symlinkSync(aside, join(directory, "link"))
      let isOver = false
      const swap = async () => {
        while (!isOver) {
          for (const name of ["real", "link"]) {
            renameSync(join(directory, name), join(directory, "sub"))
            await new Promise(setImmediate)
            renameSync(join(directory, "sub"), join(directory, name))
          }
        }
      }
      const swapping = swap()
      const texts = new Set<string>()
      for (let nth = 0; nth < 300; nth++) {
        yield* openInside(directory, "sub/a.txt", 100).pipe(
          Effect.flatMap(({ handle }) => Effect.promise(() => handle.readFile("utf8"))),
          Effect.map((text) => texts.add(text)),
          Effect.catchTag("ToolRefused", () => Effect.void),
          Effect.scoped
        )
      }
      isOver = true
      yield* Effect.promise(() => swapping)
      assert.isFalse(texts.has("secret"))
    }).pipe(Effect.scoped)
  )
})

describe("copies", () => {
  it.live("are swept once their rows are at their end, or never came", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        const { outlet, directory, journal } = bench
        const ids: Array<string> = []
        for (const name of ["waits", "sent", "unknown", "failed"]) {
          writeFileSync(join(directory, name), name)
          ids.push(String((yield* sendFile(bench, name))["id"]))
        }
        const [waits = "", sent = "", unknown = "", failed = ""] = ids
        for (const id of [sent, unknown]) yield* journal.outbox.sending(`${id}/0`, undefined)
        yield* journal.outbox.sent(`${sent}/0`, "m1")
        yield* journal.outbox.unknown(`${unknown}/0`, "cut", [])
        yield* journal.outbox.fail(`${failed}/0`, "blocked")
        const [orphan, young] = [crypto.randomUUID(), crypto.randomUUID()]
        for (const name of [orphan, young, "not-ours"]) mkdirSync(join(outlet.copies, name))
        for (const name of [...ids, orphan, "not-ours"]) utimesSync(join(outlet.copies, name), 1, 1)
        yield* sweepCopies(outlet.copies, journal.outbox)
        assert.sameMembers(copiesIn(bench), [waits, unknown, young, "not-ours"])
      })
    )
  )

  it.effect("alone are removed: no other file, and nothing for a place that is not there", () =>
    Effect.gen(function* () {
      const copies = yield* makeDirectory
      const keep = join(copies, "keep")
      mkdirSync(keep)
      writeFileSync(join(keep, "a.txt"), "")
      for (const file of [join(keep, "a.txt"), "/etc/passwd", copies, join(copies, "..", "x", "a"), ""]) {
        yield* removeCopy(copies, file)
      }
      assert.deepStrictEqual(readdirSync(keep), ["a.txt"])
      yield* sweepCopies(join(copies, "nowhere"), { get: () => Effect.undefined })
    }).pipe(Effect.scoped)
  )

  it.live("need a directory that no other user can write to", () =>
    withBench((bench) =>
      Effect.gen(function* () {
        writeFileSync(join(bench.directory, "a.txt"), "a")
        chmodSync(bench.outlet.copies, 0o777)
        assert.match(yield* Effect.flip(sendFile(bench, "a.txt")), /the bridge has no place for it/)
      })
    )
  )
})

describe("names that are never sent", () => {
  it.each(deniedNames)("%s, whatever its case, and below it", (pattern) => {
    const name = pattern.replace("*", "x")
    for (const parts of [[name], [name.toUpperCase()], ["a", name], [name, "a"]]) {
      assert.strictEqual(deniedBy(parts), pattern)
    }
  })

  it.each(["env", "keys.txt", "a.pem.txt", "identity", "valid_id", "git", "a.gitignore", "ssh"])(
    "%s is sent",
    (name) => {
      assert.isUndefined(deniedBy([name]))
    }
  )

  it.live("a hard link is a file of the directory", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      writeFileSync(join(directory, "a.txt"), "a")
      linkSync(join(directory, "a.txt"), join(directory, "b.txt"))
      assert.match((yield* openInside(directory, "b.txt", 9)).path, /b\.txt$/)
    })
  )
})

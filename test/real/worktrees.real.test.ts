/** Conversations of the five real CLIs in worktrees of one repository: at once, resumed, restored and forked. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { type AgentEvent, createAgent, openStore, WorktreeError } from "../../src/promise.ts"
import { forCli } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { type Answer, call, say } from "../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../src/testing/servers/request.ts"
import { filesOf, gitIn, put, textOf } from "../kit/repository.ts"
import { ofType } from "./rig/agent.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"
import { command } from "./rig/live.ts"

const ids = Object.keys(clis) as ReadonlyArray<CliId> // its own keys

/** The model runs the command of the newest prompt, once; a session's requests have the results of its earlier turns, too. */
const obedient = (cli: CliId) => {
  const before = new Map<string, number>()
  return ({ kind, prompts, toolResults }: ModelRequest): Answer => {
    const line = prompts.flatMap((prompt) => /Run: (.*)$/m.exec(prompt)?.[1] ?? []).at(-1)
    if (kind === "side" || line === undefined) return say("Nothing to run.")
    const known = before.get(line) ?? toolResults.length
    before.set(line, known)
    return toolResults.length === known ? call(command[cli](line)) : say(`Done: ${line}`)
  }
}

/** A repository with work of its person: staged, changed since, and not added. */
const prepare = (repository: string) => {
  gitIn(repository, "init", "--quiet")
  put(repository, filesOf)
  gitIn(repository, "add", "--all")
  gitIn(repository, "commit", "--quiet", "--message", "first")
  put(repository, { "sub/b.txt": "staged\n" })
  gitIn(repository, "add", "sub/b.txt")
  put(repository, { "sub/b.txt": "changed since\n", "mine.txt": "not added\n" })
}

const open = async (cli: CliId) => {
  const stack = new AsyncDisposableStack()
  try {
    const api = stack.use(await forCli(cli, obedient(cli)))
    const program = commandFor(cli)
    const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([program]) }))
    const repository = sandbox.work
    prepare(repository)
    const store = stack.use(await openStore({ directory: join(sandbox.home, "store") }))
    const agent = stack.use(createAgent(cli, { command: program, env: sandbox.env, store }))
    // As root, Claude Code does not bypass.
    const allowed = cli === "claude" ? { allowedTools: ["Bash"] } : { permissionMode: "bypass" as const }
    const run = (
      conversation: string,
      line: string,
      { onEvent = () => {}, ...more }: { onEvent?: (event: AgentEvent) => void; worktree?: true; fresh?: true } = {}
    ) =>
      agent.run(
        { conversation, prompt: `Run: ${line}`, workingDirectory: repository, ...allowed, ...more },
        { onEvent }
      )
    /** The newest input of the model that has these words. */
    const input = (words: string) =>
      api.requests.map(({ body }) => JSON.stringify(body)).findLast((body) => body.includes(words)) ?? ""
    const treeOf = async (name: string) => {
      const tree = (await store.worktrees.list()).find((each) => each.name === name)
      return tree ?? expect.fail(`no worktree ${name}`)
    }
    return { repository, sandbox, store, run, input, treeOf, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** Every byte of the person's: files, index, and the checked-out commit. */
const stateOf = (repository: string) => {
  const entries = readdirSync(repository, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name))
  const own = paths.map((path) => path.slice(repository.length + 1)).filter((path) => !path.startsWith(".git/"))
  return {
    files: Object.fromEntries(own.sort().map((path) => [path, textOf(repository, path)])),
    index: readFileSync(join(repository, ".git/index")).toString("hex"),
    head: [textOf(repository, ".git/HEAD"), gitIn(repository, "rev-parse", "HEAD")]
  }
}

const patchOf = (content: string) =>
  `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+${content}\n`

const changed = { path: "a.txt", status: "changed", added: 1, deleted: 1 }

const rejection = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail("it resolved"),
    (error: unknown) => error
  )

/** The others keep a session with its directory. */
const resumesElsewhere = (cli: CliId) => cli === "claude" || cli === "codex"

describe.each(ids)("%s", { timeout: 300_000 }, (cli) => {
  it("two conversations change one file at once; one is applied, the other is refused, and stays", async () => {
    await using world = await open(cli)
    const { repository, sandbox, store, run, treeOf } = world
    const { changes, apply } = store.worktrees
    // The first runs at once in a fresh home would lock each other out.
    if (cli === "opencode") await run("before", "pwd")
    const before = stateOf(repository)
    const release = join(sandbox.tmp, "release")
    const change = (name: string) =>
      run(name, `printf 'of ${name}\\n' > a.txt; while [ ! -e '${release}' ]; do sleep 0.05; done`, { worktree: true })
    const whileAtWork = async () => {
      const contents = async () => (await store.worktrees.list()).map(({ path }) => textOf(path, "a.txt")).sort()
      await expect.poll(contents, { timeout: 60_000 }).toEqual(["of one\n", "of two\n"])
      expect(await rejection(apply("one"))).toMatchObject({ reason: { _tag: "WorktreeBusy", worktree: "one" } })
      expect(stateOf(repository)).toEqual(before)
      writeFileSync(release, "")
    }
    const [one, two] = await Promise.all([change("one"), change("two"), whileAtWork()])
    expect([one.outcome, two.outcome]).toEqual(["completed", "completed"])
    expect(one.sessionId).not.toBe(two.sessionId)
    for (const name of ["one", "two"]) {
      const { files, patch = "", commits } = await changes(name, { patch: true })
      expect([files, commits]).toEqual([[changed], 0])
      expect(patch.replace(/^index .*\n/m, "")).toBe(patchOf(`of ${name}`))
    }
    expect(stateOf(repository)).toEqual(before)

    expect(await apply("one")).toEqual([changed])
    const applied = { ...before, files: { ...before.files, "a.txt": "of one\n" } }
    expect(stateOf(repository)).toEqual(applied)
    const overwriting = await rejection(apply("two"))
    expect(overwriting).toBeInstanceOf(WorktreeError)
    expect(overwriting).toMatchObject({
      reason: { _tag: "WouldOverwrite", paths: ["a.txt"] },
      message: expect.stringContaining('"a.txt"')
    })
    expect(stateOf(repository)).toEqual(applied)

    gitIn(repository, "commit", "--quiet", "--message", "one", "a.txt")
    const committed = stateOf(repository)
    const conflicting = await rejection(apply("two"))
    expect(conflicting).toMatchObject({
      reason: { _tag: "Conflicting", paths: ["a.txt"] },
      message: expect.stringContaining('"a.txt"')
    })
    expect(stateOf(repository)).toEqual(committed)
    expect((await changes("one")).files).toEqual([])
    const tree = await treeOf("two")
    expect(tree.state).toBe("ready")
    expect(textOf(tree.path, "a.txt")).toBe("of two\n")
    const { files, patch = "" } = await changes("two", { patch: true })
    expect(files).toEqual([changed])
    expect(patch.replace(/^index .*\n/m, "")).toBe(patchOf("of two"))
  })

  it("goes on with its session there, also when the files were removed by hand", async () => {
    await using world = await open(cli)
    const { repository, store, run, input, treeOf } = world
    const before = stateOf(repository)
    const { sessionId } = await run("fix", "printf 'first\\n' > a.txt", { worktree: true })
    expect(sessionId).toBeDefined()
    const tree = await treeOf("fix")
    expect(await run("fix", "cp a.txt copy.txt; pwd > place.txt")).toMatchObject({ outcome: "completed", sessionId })
    expect(textOf(tree.path, "copy.txt")).toBe("first\n")
    expect(textOf(tree.path, "place.txt")).toBe(`${tree.path}\n`)
    expect(input("place.txt")).toContain("first\\\\n")

    rmSync(tree.path, { recursive: true })
    const events: Array<AgentEvent> = []
    const third = await run("fix", "cp copy.txt again.txt; pwd >> place.txt", {
      onEvent: (event) => events.push(event)
    })
    expect(third).toMatchObject({ outcome: "completed", sessionId })
    expect(ofType(events, "notice").map(({ message }) => message)).toContain(
      "The files of the worktree fix were missing, and are restored as they were after its last turn"
    )
    expect(textOf(tree.path, "again.txt")).toBe("first\n")
    expect(textOf(tree.path, "place.txt")).toBe(`${tree.path}\n`.repeat(2))
    expect(input("again.txt")).toContain("cp a.txt copy.txt")
    expect(await treeOf("fix")).toMatchObject({ state: "ready", path: tree.path, branch: "reins/fix" })
    expect((await store.worktrees.changes("fix")).files.map(({ path }) => path)).toEqual([
      "a.txt",
      "again.txt",
      "copy.txt",
      "place.txt"
    ])
    expect(stateOf(repository)).toEqual(before)
  })

  it("goes on in a worktree after a beginning in the directory itself, or is refused and goes on there", async () => {
    await using world = await open(cli)
    const { repository, store, run, input, treeOf } = world
    const { sessionId } = await run("late", "printf 'begun\\n' > begun.txt")
    const before = stateOf(repository)
    const line = "pwd > place.txt"
    if (resumesElsewhere(cli)) {
      expect(await run("late", line, { worktree: true })).toMatchObject({ outcome: "completed", sessionId })
      expect(input("place.txt")).toContain("> begun.txt")
      const { path } = await treeOf("late")
      expect(textOf(path, "place.txt")).toBe(`${path}\n`)
      expect(stateOf(repository)).toEqual(before)
      return
    }
    expect(await rejection(run("late", line, { worktree: true }))).toMatchObject({
      reason: { _tag: "InvalidParams", option: "worktree" },
      message: expect.stringContaining(`can go on only in ${JSON.stringify(repository)}`)
    })
    expect(await store.worktrees.list()).toEqual([])
    expect(gitIn(repository, "for-each-ref", "refs/reins", "refs/heads/reins")).toBe("")
    expect(stateOf(repository)).toEqual(before)
    expect(await run("late", line)).toMatchObject({ outcome: "completed", sessionId })
    expect(textOf(repository, "place.txt")).toBe(`${repository}\n`)
  })

  it("is forked with all files, where the CLI resumes a session in another directory", async () => {
    await using world = await open(cli)
    const { repository, store, run, input, treeOf } = world
    const before = stateOf(repository)
    const pathsOf = async (name: string) => (await store.worktrees.changes(name)).files.map(({ path }) => path)
    const first = await run("one", "printf 'new\\n' > new.txt", { worktree: true })
    const { path } = await treeOf("one")
    const forking = store.sessions.fork({ conversation: "one" }, { conversation: "two" })
    if (cli === "gemini") {
      expect(await rejection(forking)).toMatchObject({ reason: { _tag: "UnsupportedOption", option: "forkSession" } })
      return
    }
    await forking
    const line = "cp new.txt copy.txt; pwd > place.txt"
    if (resumesElsewhere(cli)) {
      const second = await run("two", line)
      expect(second.outcome).toBe("completed")
      expect(second.sessionId).not.toBe(first.sessionId)
      expect(input("place.txt")).toContain("> new.txt")
      expect(await run("two", "cp copy.txt last.txt")).toMatchObject({ sessionId: second.sessionId })
      expect(await pathsOf("two")).toEqual(["copy.txt", "last.txt", "new.txt", "place.txt"])
    } else {
      expect(await rejection(run("two", line))).toMatchObject({
        reason: { _tag: "SessionElsewhere", sessionId: first.sessionId, directory: path },
        code: "session_elsewhere",
        help: expect.stringContaining("start a new session; in a worktree, only the latter is possible (`fresh`)")
      })
      expect(input("place.txt")).toBe("")
      expect(await run("two", line, { fresh: true })).toMatchObject({ outcome: "completed" })
      expect(input("place.txt")).not.toContain("> new.txt")
      expect(await pathsOf("two")).toEqual(["copy.txt", "new.txt", "place.txt"])
    }
    const tree = await treeOf("two")
    expect(textOf(tree.path, "place.txt")).toBe(`${tree.path}\n`)
    expect(await run("one", "cp new.txt own.txt")).toMatchObject({ sessionId: first.sessionId })
    expect(await pathsOf("one")).toEqual(["new.txt", "own.txt"])
    expect(stateOf(repository)).toEqual(before)
  })
})

/** `reins chat --json` takes ten thousand lines of anything, refuses each bad one by its number, and goes on. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { parseCommand } from "../../../src/program/chat/commands.ts"
import { eventsOf } from "../printedEvents.ts"

const program = fileURLToPath(new URL("scriptedChat.ts", import.meta.url))

/** The same numbers for the same seed. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const nested = (depth: number, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth)

const makeLine = (random: (below: number) => number) => {
  const pick = <A>(values: readonly [A, ...ReadonlyArray<A>]): A => values[random(values.length)] ?? values[0]
  const id = () => pick(["r1", "r2", "r999", "", "__proto__", "x".repeat(500)])
  const text = () => pick(["a", "later b", "\u0000\u202e\ud800", " ", "w".repeat(1_000), "ask ls", "question"])
  const odd = () =>
    pick([
      "null",
      "7",
      "true",
      '""',
      '"x"',
      "[]",
      "{}",
      '{"paths":["~/x"]}',
      '{"__proto__":1}',
      nested(300),
      nested(9_000)
    ])
  const good = [
    () => `{"type":"send","text":${JSON.stringify(text())}}`,
    () => `{"type":"decide","decision":"allow"}`,
    () => `{"type":"decide","requestId":${JSON.stringify(id())},"decision":"deny","message":${JSON.stringify(text())}}`,
    () => `{"type":"decide","decision":"outline"}`,
    () => `{"type":"answer","answers":{"Which colour?":["red"]}}`,
    () => `{"type":"answer","requestId":${JSON.stringify(id())}}`,
    () => `{"type":"interrupt"}`,
    () => `{"type":"set_model","model":"m"}`,
    () => `{"type":"set_permission_mode","permissionMode":"plan"}`
  ] as const
  const valid = () => (random(8) === 0 ? `{"type":"turn","prompt":${JSON.stringify(text())}}` : pick(good)())
  const bad = [
    () => `{"type":"decide","decision":"allow","remember":${odd()}}`,
    () => `{"type":"decide","requestId":"r1","decision":"allow","remember":${odd()}}`,
    () => `{"type":"decide","decision":"allow","input":${odd()}}`,
    () => `{"type":"decide","decision":"deny","message":${odd()},"interrupt":${odd()}}`,
    () => `{"type":"answer","answers":${odd()}}`,
    () =>
      `{"type":"${pick(["turn", "send", "set_model", "set_permission_mode", "toString", "nothing"])}","text":${odd()}}`,
    () => `{"type":"turn","prompt":${odd()}}`,
    () => odd(),
    () => pick(["{", "nonsense", "\u0001\u009b", '"', "NaN", "x".repeat(1_000)])
  ] as const
  const mutated = () => {
    const line = valid()
    const at = random(line.length)
    return line.slice(0, at) + pick(["", '"', "}", "\\", "\u0000", ",", "9", "\ud800"]) + line.slice(at + random(3))
  }
  return () => pick([valid, pick(bad), mutated])().replaceAll("\n", " ")
}

it("a session takes any lines, and still works", { timeout: 120_000 }, async () => {
  const line = makeLine(randomOf(7))
  const lines = Array.from({ length: 10_000 }, line).filter((each) => !each.includes('"close"'))
  lines.unshift(nested(200_000), nested(50_000, '{"a":', "}"), `{"type":"turn","prompt":"${"w".repeat(4_000_000)}"}`)
  lines.push("[".repeat(17 * 1024 * 1024))
  const child = spawn(process.execPath, [program, "--json"], { stdio: ["pipe", "pipe", "pipe"] })
  let [stdout, stderr] = ["", ""]
  // A text or an interrupt that crossed the end of its turn on its way to the script ends one of these: until one is left
  // alone, each is followed by another.
  const stillHere = () => {
    if (child.stdin.writableEnded) return
    if (stdout.includes("you said still here")) child.stdin.end()
    else child.stdin.write('{"type":"turn","prompt":"still here"}\n')
  }
  let areTaken = false
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk
    if (areTaken) stillHere()
  })
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk
    if (areTaken || !stderr.includes("is longer than")) return
    areTaken = true
    stillHere()
  })
  child.stdin.write(`${lines.join("\n")}\n`)
  const [code]: ReadonlyArray<unknown> = await once(child, "close")

  const replies = stderr
    .trimEnd()
    .split("\n")
    .map((each): unknown => JSON.parse(each))
  const refused = new Set(
    lines.flatMap((each, at) => (each.trim() !== "" && parseCommand(each)._tag === "Failure" ? [at + 1] : []))
  )
  expect(refused.size).toBeGreaterThan(3_000)
  const isRefusal = (reply: unknown): reply is { line: number; problem: string } =>
    typeof reply === "object" && reply !== null && "ok" in reply && reply.ok === false
  const reported = new Set(replies.filter(isRefusal).map((reply) => reply.line))
  expect([...refused].filter((number) => !reported.has(number))).toEqual([])
  expect(replies).toContainEqual({
    line: lines.length,
    ok: false,
    problem: "is longer than 16777216 bytes"
  })
  const events = eventsOf(stdout)
  expect(events).toContainEqual({ type: "text", text: "you said still here" })
  expect(events.at(-1)).toMatchObject({ type: "done", result: { outcome: "completed" } })
  expect(code).toBe(2)
})

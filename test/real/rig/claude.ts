// Set-up for tests of the real Claude Code: an environment that leads to a scripted server, and a raw run of the
// CLI without the library.
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Folders } from "../../../src/testing/sandbox/sandbox.ts"
import { surroundingsOf } from "../../../src/testing/sandbox/surroundings.ts"
import { pathOf } from "./environment.ts"
import { commandOf, pinnedClis } from "./install.ts"

/** The executable of the pinned Claude Code. */
export const claudeCommand = pinnedClis
  .filter((cli) => cli.name === "claude")
  .map(commandOf)
  .join()

/** The stdio MCP server of the fixtures, to be run by Node. */
export const mcpServerPath = fileURLToPath(new URL("../../../fixtures/servers/mcpServer.mjs", import.meta.url))

/** Everything a real Claude Code needs to talk to the server at `url`, and nothing else. It retries as by itself. */
export const claudeEnv = (
  sandbox: Folders,
  url: string,
  more: Readonly<Record<string, string>> = {}
): Record<string, string> => ({
  ...surroundingsOf("claude", { ...sandbox, url, path: pathOf(pinnedClis.map(commandOf)), retries: 10 }).env,
  ...more
})

/** One line of Claude's stream-json, unread. */
export type Line = Readonly<Record<string, unknown>> & { readonly type: string }

interface Ended {
  readonly lines: ReadonlyArray<Line>
  readonly stderr: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A running CLI; disposing of it ends it and waits for its end. */
interface RawRun extends AsyncDisposable {
  readonly child: ChildProcess
  /** Resolves with the first line, past or to come, that fits; rejects if the output ends without one. */
  readonly line: (fits: (line: Line) => boolean) => Promise<Line>
  readonly ended: Promise<Ended>
}

interface RawOptions {
  readonly sandbox: Folders
  readonly env: Record<string, string>
  readonly args?: ReadonlyArray<string>
  readonly stdin: string
}

const streamJson = ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"]

/** Starts the CLI in its one-shot form, with the prompt on stdin. */
export const startClaude = ({ sandbox, env, args = [], stdin }: RawOptions): RawRun => {
  const child = spawn(claudeCommand, [...streamJson, ...args], { cwd: sandbox.work, env, stdio: "pipe" })
  const lines: Array<Line> = []
  const waiting = new Set<{ look: () => void; stop: () => void }>()
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (words) => {
    stderr += words
  })
  child.stdin.on("error", () => undefined)
  child.stdin.end(stdin)
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line))
    for (const waiter of waiting) waiter.look()
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code, signal) => {
      for (const waiter of waiting) waiter.stop()
      resolve({ lines, stderr, code, signal })
    })
  })
  const line = (fits: (line: Line) => boolean) =>
    new Promise<Line>((resolve, reject) => {
      const waiter = {
        look: () => {
          const found = lines.find(fits)
          if (found === undefined) return
          waiting.delete(waiter)
          resolve(found)
        },
        stop: () => reject(new Error(`claude ended before such a line came; stderr: ${stderr}`))
      }
      waiting.add(waiter)
      waiter.look()
    })
  const dispose = async () => {
    child.kill("SIGTERM")
    await ended
  }
  return { child, line, ended, [Symbol.asyncDispose]: dispose }
}

/** Runs the CLI to its end. */
export const runClaude = (options: RawOptions): Promise<Ended> => startClaude(options).ended

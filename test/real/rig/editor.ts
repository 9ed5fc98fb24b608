/** An editor on `reins acp` with a real CLI behind it, whose model is scripted, in a sandbox of its own. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { CliId } from "../../../src/cli/clis.ts"
import { chatCompletions, gemini, messages, responses } from "../../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../../src/testing/sandbox/sandbox.ts"
import type { Answer } from "../../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../../src/testing/servers/request.ts"
import { openEditor } from "../../kit/editor.ts"
import { pathOf } from "./environment.ts"
import { commandFor } from "./layered.ts"

const servers = { claude: messages, gemini, codex: responses, opencode: chatCompletions, pi: messages }

export const openRealEditor = async (cli: CliId, script: (request: ModelRequest) => Answer) => {
  const stack = new AsyncDisposableStack()
  try {
    const api = stack.use(await servers[cli](script))
    const command = commandFor(cli)
    const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([command]) }))
    const config = join(sandbox.home, "reins.toml")
    writeFileSync(config, `[store]\ndirectory = ${JSON.stringify(join(sandbox.home, "store"))}\n`, { mode: 0o600 })
    /** The first is closed with the sandbox; each is a process of its own over the same store. */
    const start = async (...flags: ReadonlyArray<string>) =>
      stack.use(
        await openEditor({
          args: ["--agent", cli, "--command", command, "--config", config, ...flags],
          env: sandbox.values,
          cwd: sandbox.work
        })
      )
    return { api, sandbox, start, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

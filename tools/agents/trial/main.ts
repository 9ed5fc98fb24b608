// `node tools/agents/trial/main.ts ID=PROGRAM[@MODE]…`: tries agents of `src/cli/acp/agents.ts` that are installed, each
// against a scripted model, in a network namespace with loopback only, and prints what was seen. `MODE` is a permission
// mode; without it the agent is in its own one.
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { PermissionMode } from "../../../src/contract/AgentExecuteParams.ts"
import { isAcpAgentId } from "../../../src/contract/CliSupport.ts"
import { runInside } from "../../../test/real/rig/inside.ts"
import { enterLoopback, findNamespace } from "../../../test/real/rig/namespace.ts"
import { leads } from "./surroundings.ts"
import { tryAgent } from "./trial.ts"

const self = fileURLToPath(import.meta.url)
const root = fileURLToPath(new URL("../../..", import.meta.url))

const isMode = Schema.is(PermissionMode)

const parse = (argument: string) => {
  const [, id = "", program = "", mode] = /^([\w-]+)=(.+?)(?:@([\w-]+))?$/.exec(argument) ?? []
  const lead = isAcpAgentId(id) ? leads[id] : undefined
  if (!isAcpAgentId(id) || lead === undefined || (mode !== undefined && !isMode(mode))) {
    throw new Error(`${argument}: give ID=PROGRAM or ID=PROGRAM@MODE, with an ID of ${Object.keys(leads).join(", ")}`)
  }
  return { id, program, lead, mode }
}

const inside = async (args: ReadonlyArray<string>) => {
  await enterLoopback()
  for (const argument of args) {
    const { id, program, lead, mode } = parse(argument)
    const trial = await tryAgent(id, program, lead, mode).catch((error: unknown) => ({ failed: String(error) }))
    process.stdout.write(
      `${JSON.stringify({ id, ...(mode === undefined ? {} : { with: mode }), ...trial }, undefined, 2)}\n`
    )
  }
}

const outside = async (args: ReadonlyArray<string>) => {
  for (const argument of args) parse(argument)
  const namespace = findNamespace([process.execPath, self, "probe"])
  if (namespace.type === "impossible") throw new Error(`no namespace can be made:\n${namespace.reasons.join("\n")}`)
  const { code, leftovers } = await runInside({
    script: [self, "inside", ...args],
    flags: namespace.flags,
    clis: [],
    root
  })
  for (const command of leftovers) process.stdout.write(`left behind, ended now: ${command}\n`)
  process.exitCode = code
}

const [stage, ...rest] = process.argv.slice(2)
const work = stage === "probe" ? enterLoopback() : stage === "inside" ? inside(rest) : outside(process.argv.slice(2))
await work.catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})

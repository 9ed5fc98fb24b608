/** Where a session works, as the client says: directories that are there, and servers that can be named. */
import { Effect, FileSystem } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import { mcpServersOf } from "./mcpServers.ts"
import type { SessionPlace } from "./requests.ts"

const checkDirectory = Effect.fnUntraced(function* (option: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  const invalid = (problem: string) => new InvalidParams({ option, problem })
  const info = yield* Effect.mapError(fs.stat(path), () =>
    invalid("is a directory that is not there, or cannot be read")
  )
  if (info.type !== "Directory") return yield* invalid("is not a directory")
})

/** The parameters of a session there; what the command line has is kept. */
export const paramsAt = Effect.fnUntraced(function* (base: AgentOpenParams, place: SessionPlace) {
  const { cwd } = place
  const others = place.additionalDirectories ?? []
  yield* checkDirectory("cwd", cwd)
  yield* Effect.forEach(others, (path, index) => checkDirectory(`additionalDirectories.${index}`, path))
  const servers = yield* Effect.fromResult(mcpServersOf(place.mcpServers ?? []))
  const directories = [...(base.additionalDirectories ?? []), ...others]
  const params: AgentOpenParams = {
    ...base,
    workingDirectory: cwd,
    ...(directories.length === 0 ? {} : { additionalDirectories: directories }),
    ...(Object.keys(servers).length === 0 ? {} : { mcpServers: { ...base.mcpServers, ...servers } })
  }
  return params
})

/** The stdin of a live CLI: lines of JSON. */
import { Result } from "effect"
import { encodeJson } from "../../contract/json.ts"
import { makeStdin, type Stdin } from "../../system/process/stdin.ts"

export interface LiveStdin {
  /** Gives the problem if a value cannot be written, to follow its name. */
  readonly writeJson: (json: unknown) => string | undefined
  readonly stdin: Stdin
}

export const makeLiveStdin = (): LiveStdin => {
  const stdin = makeStdin()
  const writeJson = (json: unknown) => {
    const encoded = encodeJson(json)
    return Result.isFailure(encoded) ? encoded.failure : stdin.write(`${encoded.success}\n`)
  }
  return { writeJson, stdin }
}

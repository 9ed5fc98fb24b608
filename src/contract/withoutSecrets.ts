/** What gates and observers get of the parameters of a start, and its end; the types are in `types/Start.ts`. */

import type { FailureReason } from "./FailureReason.ts"
import type * as Types from "./Start.ts"

/** How a run, a session or a turn ended; the reason is one that an effect can fail with. */
export interface End extends Types.End {
  readonly failure: FailureReason | undefined
}

const omitted = [
  "attachments",
  "env",
  "mcpServers",
  "extraArgs",
  "abortSignal",
  "approvals",
  "questions",
  "tools",
  "hooks"
] as const satisfies ReadonlyArray<Types.OmittedParam>

export const withoutSecrets = <Params extends object>(params: Params): Omit<Params, Types.OmittedParam> => {
  const shown: Params & Partial<Record<Types.OmittedParam, unknown>> = { ...params }
  for (const name of omitted) delete shown[name]
  return shown
}

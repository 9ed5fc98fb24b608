/** The store of conversations as `doctor` tells it. What examines a database is loaded only where there may be one. */
import { Effect } from "effect"
import type { DoctorOptions, DoctorProblem, StoreReport } from "../../contract/DoctorReport.ts"

export const examineStore = ({
  directory,
  postgres
}: NonNullable<DoctorOptions["store"]> = {}): Effect.Effect<StoreReport> =>
  postgres === undefined
    ? Effect.flatMap(
        Effect.promise(() => import("../../conversations/store/examineFile.ts")),
        ({ examineFile }) => examineFile(directory)
      )
    : Effect.flatMap(
        Effect.promise(() => import("../../conversations/store/examinePostgres.ts")),
        ({ examinePostgres }) => examinePostgres(postgres)
      )

/** A store that cannot be used keeps no run from working. */
export const problemsOfStore = ({ problem, cure, movedAside }: StoreReport): ReadonlyArray<DoctorProblem> => {
  const about = "store"
  const severity = "warning"
  return [
    ...(problem === undefined ? [] : [{ about, severity, problem, ...(cure === undefined ? {} : { cure }) } as const]),
    ...movedAside.map(
      (file): DoctorProblem => ({
        about,
        severity,
        problem: `${file}: a store that was damaged, and moved aside. It has no effect.`,
        cure: "Save what you need of it, then remove it"
      })
    )
  ]
}

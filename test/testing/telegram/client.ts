/** A plain client of the Bot API for tests of the server: one call, its status and what it says. */
import type { ApiMethods, ApiResponse } from "@grammyjs/types"
import type { TelegramServer } from "../../../src/testing.ts"

/** A clock that stands still: the server's time is moved on by the test alone. */
export const still = { now: () => Date.UTC(2026, 10, 25) }

type Methods = ApiMethods<unknown>
export type MethodName = keyof Methods

/** The parameters as the published types have them. */
export type ParamsOf<M extends MethodName> = Parameters<Methods[M]>[0]

export interface Answered {
  readonly status: number
  /** Empty: it was taken. */
  readonly description: string
  readonly result: unknown
  readonly retryAfter: number | undefined
  readonly migrateTo: number | undefined
}

const read = async (response: Response): Promise<Answered> => {
  // as every answer of the Bot API is made
  const body = (await response.json()) as ApiResponse<unknown>
  const { status } = response
  if (body.ok) return { status, description: "", result: body.result, retryAfter: undefined, migrateTo: undefined }
  const { description, parameters = {} } = body
  return {
    status,
    description,
    result: undefined,
    retryAfter: parameters.retry_after,
    migrateTo: parameters.migrate_to_chat_id
  }
}

/** Any parameters, right or wrong. */
export const post = async (
  { url, token }: Pick<TelegramServer, "url" | "token">,
  method: string,
  params: unknown = {},
  signal?: AbortSignal
): Promise<Answered> =>
  read(
    await fetch(`${url}/bot${token}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(params),
      ...(signal === undefined ? {} : { signal })
    })
  )

/** Parameters of the published types. */
export const call = <M extends MethodName>(
  server: Pick<TelegramServer, "url" | "token">,
  method: M,
  params: ParamsOf<M>
): Promise<Answered> => post(server, method, params)

/** A body of another form than JSON: `URLSearchParams` or `FormData`. */
export const postBody = async (
  { url, token }: Pick<TelegramServer, "url" | "token">,
  method: string,
  body: URLSearchParams | FormData
): Promise<Answered> => read(await fetch(`${url}/bot${token}/${method}`, { method: "POST", body }))

/** The id that a message got. */
export const idOf = ({ result }: Answered): number => {
  if (typeof result !== "object" || result === null || !("message_id" in result)) throw new Error("no message")
  return Number(result.message_id)
}

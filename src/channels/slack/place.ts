/** Ids and addresses of Slack: what is sent to one comes from strangers, or from a store of long ago. */
import type { CheckedSlack } from "./SlackOptions.ts"

/** `D`: direct; `C`, `G`: a channel, which may be private, or a direct chat of several people. */
export const isChat = (id: string): boolean => /^[CDG][A-Z0-9]{1,30}$/.test(id)

export const isDirect = (chatId: string): boolean => chatId.startsWith("D")

/** A chat, or a thread in it by the message that it begins at. */
export interface Place {
  readonly chatId: string
  readonly threadId?: string | undefined
}

/** Of a mark. */
export const placeText = ({ chatId, threadId }: Place): string =>
  threadId === undefined ? chatId : `${chatId}/${threadId}`

/** Undefined for what is none. */
export const placeOf = (text: string): Place | undefined => {
  const [chatId = "", threadId] = text.split("/")
  return isChat(chatId) && (threadId === undefined || isTs(threadId)) ? { chatId, threadId } : undefined
}

/** The id of a message is its time. */
export const isTs = (id: string | undefined): id is string => id !== undefined && /^\d{1,13}\.\d{1,6}$/.test(id)

/** True for an address of Slack, or of the server that stands in its place. */
export const isOfSlack = (
  url: string,
  hosts: ReadonlyArray<string>,
  { apiRoot }: Pick<CheckedSlack, "apiRoot">
): boolean => {
  const address = URL.parse(url)
  if (address === null || address.username !== "" || address.password !== "") return false
  const isHost = address.protocol === "https:" && address.port === "" && hosts.includes(address.hostname)
  return isHost || address.origin === URL.parse(apiRoot)?.origin
}

/** Ids and addresses of Slack: what is sent to one comes from strangers, or from a store of long ago. */
import type { CheckedSlack } from "./SlackOptions.ts"

export const isChat = (id: string): boolean => /^[CDG][A-Z0-9]{2,30}$/.test(id)

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

/** Who a request comes from. */
export interface User {
  userId: string;
  isGuest: boolean;
}

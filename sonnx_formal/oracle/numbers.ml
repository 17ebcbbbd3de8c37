(* Numbers without a sign, of 1, 2, 4 or 8 bytes, the least significant byte first. *)

let two_64 = Z.shift_left Z.one 64

(* The number of [width] bytes at the place [at]. *)
let get width bytes at =
  match width with
  | 1 -> Z.of_int (Bytes.get_uint8 bytes at)
  | 2 -> Z.of_int (Bytes.get_uint16_le bytes at)
  | 4 -> Z.of_int (Int32.to_int (Bytes.get_int32_le bytes at) land 0xffffffff)
  | 8 ->
    let signed = Z.of_int64 (Bytes.get_int64_le bytes at) in
    if Z.sign signed < 0 then Z.add signed two_64 else signed
  | other -> failwith ("no numbers are as wide as " ^ string_of_int other)

(* Put a number into [width] bytes at the place [at]. *)
let set width bytes at n =
  if Z.sign n < 0 || Z.numbits n > 8 * width then
    failwith ("no number of this width: " ^ Z.to_string n);
  match width with
  | 1 -> Bytes.set_uint8 bytes at (Z.to_int n)
  | 2 -> Bytes.set_uint16_le bytes at (Z.to_int n)
  | 4 -> Bytes.set_int32_le bytes at (Int32.of_int (Z.to_int n))
  | 8 ->
    let signed = if Z.numbits n = 64 then Z.sub n two_64 else n in
    Bytes.set_int64_le bytes at (Z.to_int64 signed)
  | other -> failwith ("no numbers are as wide as " ^ string_of_int other)

const CONTENT = Buffer.from("written by hand");

/** A zip with one more member, whose checksum is that of other content. The zip has no comment. */
export function withDamagedMember(zip: Buffer, name: string): Buffer {
  const end = zip.length - 22;
  const directory = zip.readUInt32LE(end + 16);
  const local = Buffer.alloc(30 + name.length);
  local.writeUInt32LE(0x04034b50);
  local.writeUInt32LE(1, 14);
  local.writeUInt32LE(CONTENT.length, 18);
  local.writeUInt32LE(CONTENT.length, 22);
  local.writeUInt16LE(name.length, 26);
  local.write(name, 30);
  const entry = Buffer.alloc(46 + name.length);
  entry.writeUInt32LE(0x02014b50);
  // the same fields in both, from the version on
  local.copy(entry, 6, 4, 30);
  entry.writeUInt32LE(directory, 42);
  entry.write(name, 46);
  const last = Buffer.from(zip.subarray(end));
  for (const at of [8, 10]) last.writeUInt16LE(last.readUInt16LE(at) + 1, at);
  last.writeUInt32LE(last.readUInt32LE(12) + entry.length, 12);
  last.writeUInt32LE(directory + local.length + CONTENT.length, 16);
  return Buffer.concat([zip.subarray(0, directory), local, CONTENT, zip.subarray(directory, end), entry, last]);
}

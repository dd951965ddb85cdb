// Whole files: read in one piece, replaced in one piece or not at all.
#pragma once

#include <string>
#include <string_view>

namespace hindsight {

/// All bytes of the file at `path`. Throws Error with the system's reason when it is missing,
/// unreadable or a directory.
std::string read_file(const std::string& path);

/// Puts `bytes` into the file at `path` so that a crash or a full disk at any moment leaves either
/// the old content or the new one, whole.
///
/// The bytes go to `path` + ".part" beside it, are flushed to the disk, and the finished file is
/// renamed over `path`; then the directory is flushed, so that the new name outlives a power cut.
/// On failure the ".part" file is removed, the old file is as it was, and Error gives the system's
/// reason. A crash can leave a ".part" file behind: nothing reads it, the next write replaces it.
///
/// A symbolic link is followed. What exists and is no regular file (a directory, /dev/null) is an
/// Error. One writer at a time for one path.
void write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace hindsight

// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace deltascope {
namespace {

namespace fs = std::filesystem;

Error failure(ErrorCode code, std::string_view what, const fs::path& path, std::string why) {
    return Error{code, std::string(what), path.empty() ? "''" : path.string(), std::move(why), "", ""};
}

Error systemFailure(std::string_view what, const fs::path& path, int number) {
    return failure(number == ENOENT ? ErrorCode::notFound : ErrorCode::unreadable, what, path,
                   std::generic_category().message(number));
}

/// Closes the descriptor and, unless told to keep it, removes the file.
struct Temporary {
    int descriptor = -1;
    fs::path path;
    bool keep = false;
    ~Temporary() {
        if (descriptor >= 0) ::close(descriptor);
        if (!keep && !path.empty()) ::unlink(path.c_str());
    }
};

int writeAll(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

Result<void> writeInPlace(const fs::path& path, std::string_view text) {
    Temporary file;
    file.keep = true;
    file.descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor < 0) return systemFailure("cannot write", path, errno);
    if (const int number = writeAll(file.descriptor, text)) return systemFailure("cannot write", path, number);
    return {};
}

/// Permissions of a new file: those of the one it replaces, else what the process' mask leaves.
mode_t modeFor(const std::optional<struct stat>& old) {
    if (old) return old->st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

} // namespace

Result<void> writeFileWhole(const fs::path& path, std::string_view text) {
    std::error_code ignored;
    const fs::path resolved = fs::canonical(path, ignored);
    const fs::path target = resolved.empty() ? path : resolved;

    struct stat facts {};
    std::optional<struct stat> old;
    if (::stat(target.c_str(), &facts) == 0) old = facts;
    if (old && S_ISDIR(old->st_mode))
        return failure(ErrorCode::unreadable, "cannot write", path, "it is a folder, not a file");
    if (old && !S_ISREG(old->st_mode)) return writeInPlace(target, text);

    Temporary file;
    std::string pattern = target.string() + ".XXXXXX";
    file.descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (file.descriptor < 0) return systemFailure("cannot write", path, errno);
    file.path = pattern;
    if (const int number = writeAll(file.descriptor, text)) return systemFailure("cannot write", path, number);
    if (::fchmod(file.descriptor, modeFor(old)) != 0 || ::fsync(file.descriptor) != 0 ||
        ::rename(pattern.c_str(), target.c_str()) != 0)
        return systemFailure("cannot write", path, errno);
    file.keep = true;
    return {};
}

} // namespace deltascope

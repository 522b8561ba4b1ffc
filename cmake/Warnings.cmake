# SPDX-License-Identifier: GPL-3.0-or-later
# deltascope_target(NAME): the warnings and settings every target of the project is built with.
function(deltascope_target name)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wconversion -Wshadow -Werror
    -Wno-restrict) # GCC 12 reports std::string concatenation falsely
endfunction()

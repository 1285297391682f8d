module github.com/clca-dev/clca

go 1.26

ignore ./js/node_modules
